-- Why: whom to watch is told by the wallets alone, and what a branch of the chain refused is forgotten with that branch.

-- Until when a wallet's chain is watched for its sessions, a day at a time too long at most: creating a session moves it
-- on about once a day, and the watcher's look at it does not grow with the sessions.
alter table payout_wallets add column watched_until timestamptz(3);
update payout_wallets w
   set watched_until = (select max(s.expires_at) + interval '31 days' from checkout_sessions s where s.payout_wallet_id = w.id)
 where w.livemode;
create index payout_wallets_watched on payout_wallets (network, watched_until) include (address) where livemode and watched_until is not null;

-- Up to which block was read when the refusal was seen; null for those from before.
alter table reverted_transactions add column block_number bigint;
