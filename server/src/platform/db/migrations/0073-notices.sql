-- Why: merchants ask for mails about payments and transfers, and for receipts by mail to their customers. What there is to tell
-- is written with the change itself; a job turns it into mails later, so that no payment waits for one.

-- The kinds that the account asks for: paid, needs_decision, unattributed, receipt.
alter table accounts add column notices text[] not null default '{}';

create table notices (
  id          bigint generated always as identity primary key,
  account_id  text not null references accounts,
  livemode    boolean not null,
  kind        text not null check (kind in ('paid', 'needs_decision', 'unattributed', 'receipt')),
  -- What it is about, which may be deleted before.
  payment_id  text,
  transfer_id text,
  -- The customer's address, for a receipt.
  to_address  text,
  due_at      timestamptz(3) not null default '-infinity',
  -- Null until it is mailed, or found not to be worth a mail.
  handled_at  timestamptz(3),
  outcome     text check (outcome in ('mailed', 'digest', 'skipped', 'limited')),
  check ((handled_at is null) = (outcome is null))
);
create index notices_due on notices (due_at) where handled_at is null;
create index notices_waiting on notices (account_id, livemode, id) where handled_at is null;
create index notices_handled on notices (handled_at) where handled_at is not null;
create index notices_by_account on notices (account_id, livemode, outcome, handled_at desc) where handled_at is not null;
create index notices_by_address on notices (to_address, handled_at) where kind = 'receipt' and outcome = 'mailed';
-- A payment has one receipt by mail, and a transfer is told of once.
create unique index notices_of_receipts on notices (payment_id) where kind = 'receipt';
create unique index notices_of_transfers on notices (account_id, transfer_id) where transfer_id is not null;
