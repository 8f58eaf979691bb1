import { createPublicClient, hashMessage, http } from 'viem';
import { TemporaryFailure } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { ContractWalletVerifier, EvmNetwork } from '../contract-wallet.ts';

const DEADLINE_MS = 5 * SECOND_MS;
const PROVIDERS_ASKED = 3;
const PROVIDERS_NEEDED = 2;
// Anybody may ask this without a credential, and each question costs several calls.
const CHECKS_AT_ONCE = 16;
const SIGNATURE_LENGTH_LIMIT = 2 + 2 * 16 * 1024;
// What the end of a signature says whose wallet is not deployed yet (ERC-6492).
const UNDEPLOYED_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492';

/** Contract wallets by ERC-1271, and by ERC-6492 before they are deployed, over JSON-RPC. */
export function createContractWalletVerifier(rpcUrls: (network: EvmNetwork) => readonly string[]): ContractWalletVerifier {
  let checks = 0;

  return {
    async isSigned({ network, address, message, signature }) {
      const providers = [...new Set(rpcUrls(network))].slice(0, PROVIDERS_ASKED);
      if (providers.length < PROVIDERS_NEEDED || !/^0x([0-9a-f]{2})+$/i.test(signature) || signature.length > SIGNATURE_LENGTH_LIMIT) return false;
      if (checks >= CHECKS_AT_ONCE) throw new TemporaryFailure('too many contract wallets are being checked');

      checks += 1;
      try {
        const answers = providers.map((url) => asks(url, { address: address as Hex, message, signature: signature as Hex }));
        return await enoughAgree(answers);
      } finally {
        checks -= 1;
      }
    },
  };
}

type Hex = `0x${string}`;

/** One provider's word. An error is not a yes. */
async function asks(url: string, { address, message, signature }: { address: Hex; message: string; signature: Hex }): Promise<boolean> {
  const client = createPublicClient({ transport: http(url, { timeout: DEADLINE_MS, retryCount: 0 }) });
  try {
    const code = await client.getCode({ address });
    if (!code && !signature.toLowerCase().endsWith(UNDEPLOYED_SUFFIX)) return false;
    return await client.verifyHash({ address, hash: hashMessage(message), signature });
  } catch {
    return false;
  }
}

/** True as soon as enough have said yes, so that one slow provider holds nobody up; false at the deadline at the latest. */
function enoughAgree(answers: Promise<boolean>[]): Promise<boolean> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve(false), DEADLINE_MS);
    const settle = (agreed: boolean) => {
      clearTimeout(deadline);
      resolve(agreed);
    };
    let yes = 0;
    let no = 0;
    for (const answer of answers) {
      void answer.then((agrees) => {
        if (agrees) yes += 1;
        else no += 1;
        if (yes >= PROVIDERS_NEEDED) settle(true);
        else if (answers.length - no < PROVIDERS_NEEDED) settle(false);
      });
    }
  });
}
