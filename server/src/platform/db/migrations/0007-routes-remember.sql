-- Why: how often a provider is asked depends on when a customer pointed at a deposit, and how long it is believed on when it said that all was done.
-- They may be there: this migration once had the number 0060.
alter table route_orders add column if not exists hinted_at timestamptz(3);
alter table route_orders add column if not exists done_at timestamptz(3);
