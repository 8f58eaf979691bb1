-- Why: the wallets that still have to be looked up are few, and are searched every minute.
create index concurrently if not exists payout_wallets_to_look_up on payout_wallets (look_up_at) where look_up_at is not null;
