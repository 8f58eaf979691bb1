-- Why: a conversion keeps its price where the provider worked with the deposit in time. `deposited_at` may be older: a deposit that is only
-- announced can still be taken back. Null for orders from before this was recorded, and until the provider converts.
alter table route_orders add column converting_at timestamptz(3);
