-- Why: the dashboard lists customers by what they paid, without adding up all payments for every page.

-- A customer who has paid: written with the payment that becomes paid. The reference identifies them, or the address
-- without one.
create table customers (
  -- Follows from the account, the mode and what identifies the customer.
  id            text primary key,
  account_id    text not null references accounts,
  livemode      boolean not null,
  email         text,
  name          text,
  reference     text,
  -- In lower case, for searches: the database's own `lower` depends on its locale.
  folded_name   text,
  -- How many of their payments are paid, and what these brought less refunds, in minor units by currency.
  payments      integer not null,
  totals        jsonb not null,
  last_paid_at  timestamptz(3) not null,
  check (email is not null or reference is not null)
);
create index customers_by_payment on customers (account_id, livemode, last_paid_at desc, id desc);
-- For searches by how they begin.
create index customers_by_reference on customers (account_id, livemode, reference text_pattern_ops) where reference is not null;
create index customers_by_email on customers (account_id, livemode, email text_pattern_ops) where email is not null;
create index customers_by_name on customers (account_id, livemode, folded_name text_pattern_ops) where folded_name is not null;
