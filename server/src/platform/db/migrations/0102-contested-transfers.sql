-- Why: contested transfers are decided in every turn of verification, and hold the expiry of payments to their address.
create index concurrently if not exists transfers_contested on transfers (network, to_address) where contested is not null;
