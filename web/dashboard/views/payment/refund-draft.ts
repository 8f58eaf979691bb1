import { useState } from 'react';
import { useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundPlanJson } from '../../lib/types.ts';

export type Share = 'surplus' | 'part' | 'everything';
export type RefundDraft = ReturnType<typeof useRefundDraft>;

/** Where to send how much: what the service suggests until the merchant changes it, and its plan for that. */
export function useRefundDraft(payment: PaymentJson) {
  const [to, setTo] = useState<string | null>(null);
  const [typedAmount, setAmount] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Share | null>(null);
  const base = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`);
  const address = (to ?? base.data?.suggestions[0]?.address ?? '').trim();
  const share = typedAmount === null ? (chosen ?? (base.data?.surplus ? 'surplus' : 'everything')) : 'part';
  const suggested = base.data?.suggestions.find((one) => one.address === address)?.amount;
  const amount = typedAmount ?? (share === 'surplus' ? (base.data?.surplus ?? null) : null);
  const units = (amount ?? smaller(suggested ?? null, base.data?.left ?? '')).trim();
  const isAmount = /^\d+(\.\d+)?$/.test(units);
  const plan = useRead<RefundPlanJson>(
    'refund-plan',
    `/dashboard/api/payments/${payment.id}/refund-plan`,
    { to: address, amount: units },
    { enabled: address !== '' && isAmount, keep: true },
  );
  // While an answer is loading the previous one is still shown, and it is for another address or amount.
  const current = isAmount && address !== '' && !plan.isPlaceholderData ? plan.data : undefined;
  return {
    base,
    /** As typed, with spaces around it. */
    typed: { to: to ?? address, amount: amount ?? units },
    address,
    units,
    plan,
    current,
    share,
    choose: (next: Share) => {
      setChosen(next);
      setAmount(next === 'part' ? units : null);
    },
    isTooMuch: current?.objection?.startsWith('The amount must be at most') === true,
    isAmountRefused: units !== '' && (!isAmount || current?.objection?.startsWith('The amount')),
    setTo,
    setAmount,
  };
}

/** Two amounts of one asset have the same decimals. */
function smaller(amount: string | null, left: string): string {
  const value = (decimal: string) => BigInt(decimal.replace('.', ''));
  return amount === null || value(amount) > value(left) ? left : amount;
}
