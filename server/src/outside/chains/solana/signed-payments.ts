import { askBeforeNo } from '../rpc/ask-until.ts';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { record } from '../rpc/shapes.ts';

const PREFLIGHT_FAILED = -32002;

/** Sends a signed transaction to every provider. Returns whether any accepted it or already has it. */
export async function broadcast(providers: Providers, signed: string): Promise<boolean> {
  const answers = await Promise.all(
    providers.names.map((name) =>
      providers
        .use((provider) => send(provider, signed), { only: [name], ignoreFailures: true })
        .catch((error: unknown) => (error instanceof Error ? false : Promise.reject(error))),
    ),
  );
  return answers.includes(true);
}

/** Whether the cluster would execute a transaction. A missing signature of the fee payer is ignored. */
export function accepts(providers: Providers, signed: string): Promise<boolean> {
  return askBeforeNo(providers, async (provider) => {
    const [answer] = await provider.attempt([simulation(signed)]);
    if (!answer) throw new ProviderError(`${provider.name} left a simulation unanswered`);
    if ('value' in answer) return answer.value;
    throw answer.error;
  });
}

async function send(provider: Provider, signed: string): Promise<boolean> {
  const [answer] = await provider.attempt([
    {
      method: 'sendTransaction',
      params: [signed, { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: 5 }],
      parse: () => true,
    },
  ]);
  if (!answer) return false;
  if ('value' in answer) return true;
  const { error } = answer;
  return error instanceof RpcError && error.code === PREFLIGHT_FAILED && /already been processed/i.test(error.message);
}

function simulation(signed: string): Call<boolean> {
  return {
    method: 'simulateTransaction',
    params: [signed, { encoding: 'base64', commitment: 'confirmed', sigVerify: false }],
    parse: (value) => record(record(value, 'answer').value, 'answer.value').err === null,
  };
}
