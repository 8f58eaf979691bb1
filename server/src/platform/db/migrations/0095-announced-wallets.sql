-- Why: the mails about wallets that a secret key adds are limited by real time, and a test clock moves `created_at`.

-- Null if no mail was sent.
alter table payout_wallets add column announced_at timestamptz(3);
