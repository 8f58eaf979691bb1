-- Why: a transaction that could not be stored may pay several wallets. The dashboard lists it for each of their owners, and a
-- job deletes old rows.
alter table set_aside_transactions add column to_addresses text[] not null default '{}';
update set_aside_transactions set to_addresses = array[to_address];
create index set_aside_transactions_by_addresses on set_aside_transactions using gin (to_addresses);
create index set_aside_transactions_by_instant on set_aside_transactions (at);
