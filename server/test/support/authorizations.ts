import { randomBytes } from 'node:crypto';
import { type Address, encodeFunctionData, type Hex, parseSignature, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { artifact, type TestChain } from './anvil.ts';

export interface SignedAuthorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  signature: Hex;
}

/** An EIP-3009 authorization of the test dollar coin, signed by its payer. */
export async function signAuthorization(
  chain: Pick<TestChain, 'chainId'>,
  token: Address,
  payer: PrivateKeyAccount,
  fields: { to: Address; value: bigint } & Partial<SignedAuthorization>,
): Promise<SignedAuthorization> {
  const message = {
    from: payer.address,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 100_000),
    nonce: toHex(randomBytes(32)),
    ...fields,
  };
  const signature = await payer.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: token },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  return { ...message, signature };
}

/** The call that anyone may send to execute an authorization. */
export function authorizationCall(one: SignedAuthorization): Hex {
  const { r, s, v } = parseSignature(one.signature);
  return encodeFunctionData({
    abi: artifact('DollarCoin').abi,
    functionName: 'transferWithAuthorization',
    args: [one.from, one.to, one.value, one.validAfter, one.validBefore, one.nonce, Number(v), r, s],
  });
}
