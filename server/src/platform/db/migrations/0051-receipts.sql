-- Why: each signed receipt is kept, so that a newer one can name the one that it replaces.

create table receipts (
  id          text primary key,
  payment_id  text not null references payments,
  number      integer not null check (number >= 1),
  -- SHA-256 of what it says, without its own name and time: the same facts are signed once.
  facts_hash  bytea not null check (length(facts_hash) = 32),
  jws         text not null,
  issued_at   timestamptz(3) not null,
  unique (payment_id, number)
);
