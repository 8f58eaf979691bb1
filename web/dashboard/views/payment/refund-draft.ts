import { readAmount, typedIn } from '@quittance/contract/typed-amount';
import { useState } from 'react';
import { useLanguage } from '../../lib/i18n.tsx';
import { useRead } from '../../lib/state.tsx';
import { addressProblem } from '../../lib/typed-address.ts';
import type { PaymentJson, RefundPlanJson } from '../../lib/types.ts';
import { decimalsOf, unitsOf } from './refund-share.ts';

export type Share = 'surplus' | 'part' | 'everything';
export type RefundDraft = ReturnType<typeof useRefundDraft>;

/** Where to send how much: what the service suggests until the merchant changes it, and its plan for that. */
export function useRefundDraft(payment: PaymentJson) {
  const { t, locale } = useLanguage();
  const [to, setTo] = useState<string | null>(null);
  const [written, setAmount] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Share | null>(null);
  const base = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`);
  const address = (to ?? base.data?.suggestions[0]?.address ?? '').trim();
  const problem = addressProblem(address, t);
  const left = base.data?.left ?? '';
  // Beside another refund only the merchant knows how much more goes back, if anything is left.
  const isBeside = Boolean(base.data?.begun) && /[1-9]/.test(left);
  const typedAmount = written ?? (isBeside && chosen === null ? '' : null);
  const share = typedAmount === null ? (chosen ?? (base.data?.surplus ? 'surplus' : 'everything')) : 'part';
  const suggested = base.data?.suggestions.find((one) => one.address === address)?.amount;
  const planned = share === 'surplus' ? (base.data?.surplus ?? left) : smaller(suggested ?? left, left);
  const units = typedAmount === null ? planned : readAmount(typedAmount, decimalsOf(left), { most: left, locale });
  const isTooMuch = units !== null && isLess(left, units);
  const isAmount = units !== null && !isTooMuch && /[1-9]/.test(units);
  const plan = useRead<RefundPlanJson>(
    'refund-plan',
    `/dashboard/api/payments/${payment.id}/refund-plan`,
    // An amount that cannot be meant leaves the address to be judged.
    { to: address, amount: isAmount ? units : undefined },
    { enabled: address !== '' && problem === null && left !== '', keep: true },
  );
  // While an answer is loading the previous one is still shown, and it is for another address or amount.
  const current = address !== '' && !plan.isPlaceholderData ? plan.data : undefined;
  const typed = { to: to ?? address, amount: typedAmount ?? typedIn(locale, planned) };
  return {
    base,
    /** As typed, with spaces around it. */
    typed,
    address,
    problem,
    /** Null for an amount that cannot be meant. */
    units: isAmount ? units : null,
    isSuggested: typedAmount === null,
    plan,
    current,
    share,
    choose: (next: Share) => {
      setChosen(next);
      setAmount(next === 'part' ? typed.amount : null);
    },
    isTooMuch,
    isAmountRefused: !isAmount && Boolean(typedAmount?.trim()),
    setTo,
    setAmount,
  };
}

function smaller(amount: string, left: string): string {
  return isLess(left, amount) ? left : amount;
}

function isLess(left: string, amount: string): boolean {
  const decimals = Math.max(decimalsOf(left), decimalsOf(amount));
  return unitsOf(left, decimals) < unitsOf(amount, decimals);
}
