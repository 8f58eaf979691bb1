import { Link } from '@tanstack/react-router';
import { plain } from '../../lib/format.ts';

interface Identified {
  email: string | null;
  name: string | null;
  reference: string | null;
}

/** What to call a customer: the name, or what identifies them. */
export function nameOf({ name, email, reference }: Identified): string {
  return plain(name ?? email ?? reference ?? '');
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
