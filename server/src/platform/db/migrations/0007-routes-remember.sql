-- Why: how often a provider is asked depends on when a customer pointed at a deposit, and how long it is believed on when it said that all was done.
alter table route_orders add column hinted_at timestamptz(3);
alter table route_orders add column done_at timestamptz(3);
