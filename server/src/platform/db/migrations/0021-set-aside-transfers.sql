-- Why: the dashboard lists transfers that were set aside without reading past all others of the address.
create index transfers_set_aside on transfers (livemode, to_address) where set_aside_at is not null and payment_id is null and handled_at is null;
