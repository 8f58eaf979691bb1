-- Why: metrics count the exact amounts that are reserved now; those that are free again stay with their checkout and outnumber them.
create index concurrently if not exists reserved_amounts_by_end on reserved_amounts (livemode, reserved_until);
