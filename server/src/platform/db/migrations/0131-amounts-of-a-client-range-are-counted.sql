-- Why: the amounts of a range are counted for each new one.
create index concurrently if not exists reserved_amounts_by_client_range on reserved_amounts (livemode, client_range, reserved_until) where client_range is not null;
