import { NOTE_KEY } from '@quittance/contract/customer-note';
import { plain } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { PaymentJson } from '../../lib/types.ts';
import { Card, Copyable, Facts } from '../../ui/basic.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';

/** Who paid, as far as they or the merchant said it. The note is what they wrote on the page of a payment link. */
export function CustomerCard({ payment: { customer, metadata, payment_link_id: link } }: { payment: PaymentJson }) {
  const { t } = useLanguage();
  const { name, email, reference } = customer ?? { name: null, email: null, reference: null };
  const note = link === null ? undefined : metadata[NOTE_KEY];
  const facts = [
    ...(name === null ? [] : [[t('Name'), <CustomerLink key="name" customer={{ name, email, reference }} />] as const]),
    ...(email === null
      ? []
      : [
          [
            t('Email'),
            // Without a name, nothing else leads to the customer.
            name === null && reference === null ? (
              <CustomerLink key="email" customer={{ name, email, reference }} />
            ) : (
              <Copyable key="email" text={email} />
            ),
          ] as const,
        ]),
    ...(reference === null
      ? []
      : [[t('Reference'), <CustomerLink key="ref" customer={{ name: null, email: null, reference }} />] as const]),
    ...(note
      ? [
          [
            t('Note'),
            <bdi key="note" className="whitespace-pre-line">
              {plain(note)}
            </bdi>,
          ] as const,
        ]
      : []),
  ];
  return (
    facts.length > 0 && (
      <Card title={t('Customer')}>
        <Facts facts={facts} />
      </Card>
    )
  );
}
