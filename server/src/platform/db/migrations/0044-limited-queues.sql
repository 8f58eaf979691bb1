-- Why: an endpoint that nobody repairs must not collect rows for ever. Past a limit its events are counted instead.

-- False while it is full: its events get no delivery.
alter table webhook_endpoints add column collects boolean not null default true;
alter table webhook_endpoints add column uncollected bigint not null default 0 check (uncollected >= 0);
-- Events recorded until then are counted already; null while it collects.
alter table webhook_endpoints add column counted_until timestamptz(3);
-- When its merchant was last told by mail that parked deliveries were too old.
alter table webhook_endpoints add column told_of_expiry_at timestamptz(3);
