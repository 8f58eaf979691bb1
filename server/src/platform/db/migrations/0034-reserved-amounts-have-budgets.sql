-- Why: reserved amounts of one price could be used up by strangers. A row now counts for the client, the payment link and the unproved
-- account that reserved it until money comes for it, and remembers whether a wallet was seen, which decides how long it stays reserved.

-- A keyed hash of the client's address; nobody reads the address from it.
alter table reserved_amounts add column client bytea;
alter table reserved_amounts add column payment_link_id text;
-- Only where the account has not proved the address.
alter table reserved_amounts add column account_id text;
alter table reserved_amounts add column wallet_seen_at timestamptz(3);

-- All are empty when they are built, because no older row has a budget.
create index reserved_amounts_by_client on reserved_amounts (livemode, client, reserved_until) where client is not null;
create index reserved_amounts_by_link on reserved_amounts (payment_link_id, reserved_until) where payment_link_id is not null;
create index reserved_amounts_by_account on reserved_amounts (livemode, account_id, reserved_until) where account_id is not null;
