import {
  type AssetSymbol,
  type Currency,
  findAsset,
  isStablecoin,
  NETWORKS,
  type ReceiveNetwork,
} from '@quittance/contract';
import type { Transfer, Verdict, VerdictHead } from '../../outside/chains/chain.ts';

/** The condition under which a transfer counts as irreversible. */
export type FinalityRule =
  | { type: 'confirmations'; count: number }
  /** The chain's own tag, or `otherwise` confirmations if no provider has it. If too few have it, both. */
  | { type: 'safe' | 'finalized'; otherwise: number };

const SMALL_USD_MINOR = 1_000_00n;
export const LARGE_USD_MINOR = 10_000_00n;

/** The finality that a transfer of this value needs on a network. The operator's setting overrides value and tag. */
export function finalityRule(network: ReceiveNetwork, worthUsdMinor: bigint, override: number | null): FinalityRule {
  if (override !== null) return { type: 'confirmations', count: override };
  const { small, otherwise } = NETWORKS[network].finality;
  if (small === null) return { type: 'finalized', otherwise };
  if (worthUsdMinor < SMALL_USD_MINOR) return { type: 'confirmations', count: small };
  return { type: worthUsdMinor < LARGE_USD_MINOR ? 'safe' : 'finalized', otherwise };
}

/** What a payment asks for, and what was sent for it. */
export interface Worth extends Pick<TransferredAmount, 'asset' | 'amountUnits'> {
  amountMinor: bigint;
  currency: Currency;
}

/** The finality that a transfer needs: by its own value, or its payment's if that is higher. */
export function requirement(
  network: ReceiveNetwork,
  { asset, amountUnits, amountMinor, currency }: Worth,
  override: number | null,
): { rule: FinalityRule; worth: bigint } {
  const asked = worthUsdMinor(amountMinor, currency);
  const sent = isStablecoin(asset) ? transferWorthUsdMinor({ network, asset, amountUnits }) : 0n;
  const worth = asked > sent ? asked : sent;
  return { rule: finalityRule(network, worth, override), worth };
}

/** Whether a block is final by a rule. The block of inclusion is the first confirmation. */
export function isFinal(rule: FinalityRule, block: bigint, head: VerdictHead): boolean {
  switch (rule.type) {
    case 'confirmations':
      return confirmations(block, head.number) >= rule.count;
    case 'safe':
    case 'finalized': {
      const reached = rule.type === 'safe' ? (head.safe ?? head.finalized) : head.finalized;
      const isDeep = confirmations(block, head.number) >= rule.otherwise;
      return reached === null ? isDeep : block <= reached && (isDeep || !head.hasTagOfFew);
    }
  }
}

/** The newest block that is final by a rule; below zero while no block is final. */
export function finalBlock(rule: FinalityRule, head: VerdictHead): bigint {
  switch (rule.type) {
    case 'confirmations':
      return head.number + 1n - BigInt(rule.count);
    case 'safe':
      return head.safe ?? head.finalized ?? head.number + 1n - BigInt(rule.otherwise);
    case 'finalized':
      return head.finalized ?? head.number + 1n - BigInt(rule.otherwise);
  }
}

/** What a final state says about a transfer that stands. */
export function evidenceOf(
  { txHash, index }: Pick<Transfer, 'txHash' | 'index'>,
  rule: FinalityRule,
  { transfer: { block }, head, providers }: Extract<Verdict, { type: 'stands' }>,
) {
  return {
    txHash,
    index,
    block: { number: block.number, hash: block.hash, time: block.time },
    confirmations: confirmations(block.number, head.number),
    finality: rule,
    providers,
  };
}

export function confirmations(block: bigint, head: bigint): number {
  return head < block ? 0 : Number(head - block) + 1;
}

/** The number of confirmations shown to the customer; null if the chain's own tag decides. */
export function confirmationsNeeded(rule: FinalityRule): number | null {
  return rule.type === 'confirmations' ? rule.count : null;
}

/** Approximate USD value, rounded up. Used only for thresholds. */
export function worthUsdMinor(amountMinor: bigint, currency: Currency): bigint {
  switch (currency) {
    case 'USD':
      return amountMinor;
    case 'EUR':
      return (amountMinor * 3n + 1n) / 2n;
    case 'AED':
      return (amountMinor * 10_000n) / 36_725n + 1n;
  }
}

/** A transfer's own USD value. Volatile coins count as large, because their price is not known here. */
export function transferWorthUsdMinor({ asset, network, amountUnits }: TransferredAmount): bigint {
  const listed = isStablecoin(asset) ? findAsset(asset, network) : undefined;
  if (!listed) return LARGE_USD_MINOR;
  // To two decimals, rounded up.
  const cent = 10n ** BigInt(listed.decimals - 2);
  return (amountUnits + cent - 1n) / cent;
}

interface TransferredAmount {
  asset: AssetSymbol;
  network: ReceiveNetwork;
  amountUnits: bigint;
}
