-- Why: rows that nobody needs any more are found by their age alone, whoever has many of them.

-- Checkouts that ended without money: those that no customer started, and the others.
create index payments_unstarted on payments (expires_at, id) where status = 'expired' and started_at is null;
create index payments_unpaid on payments (expires_at, id) where status = 'expired' and started_at is not null;
create index transfers_without_payment on transfers (block_time) where payment_id is null;
create index set_aside_transactions_by_time on set_aside_transactions (at);
