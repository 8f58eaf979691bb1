-- Why: where reading starts depends on the longest sessions of a wallet. Without them it started up to 30 days too early for every
-- wallet with many sessions. Classes of up to 2, 4, 8, 16 and 32 days; most sessions last an hour and are not in it.
create index concurrently if not exists checkout_sessions_long_by_wallet on checkout_sessions (payout_wallet_id, ceil(log(2, extract(epoch from (expires_at - created_at)) / 86400)), expires_at) where expires_at - created_at > interval '1 day';
