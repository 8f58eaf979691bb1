import { Link } from '@tanstack/react-router';
import { nameOf } from '../../lib/sale.ts';

interface Identified {
  email: string | null;
  name: string | null;
  reference: string | null;
}

/** The customer's name, as a link to their payments. A name alone identifies no one. */
export function CustomerLink({ customer, className = '' }: { customer: Identified; className?: string }) {
  const { reference, email } = customer;
  const shown = <bdi className="[overflow-wrap:anywhere]">{nameOf(customer)}</bdi>;
  if (reference === null && email === null) return shown;
  return (
    <Link
      to="/customers/one"
      search={reference === null ? { email: email ?? undefined } : { reference }}
      className={`hover:underline ${className || 'text-accent'}`}
    >
      {shown}
    </Link>
  );
}
