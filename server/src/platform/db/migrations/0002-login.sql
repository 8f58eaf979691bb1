-- Why: starts of one login are counted one after the other, a new installation is entered by a one-time link, and a
-- payout address is proved by signing a text of ours.

-- The row that starts of one login queue at: `email:<address>`, `wallet:<network>:<address>`.
create table login_queues (
  name     text primary key,
  last_at  timestamptz(3) not null
);
create index login_queues_by_time on login_queues (last_at);

-- A link that logs into an account once; made on the server's own machine only.
create table login_links (
  token_hash  bytea primary key,
  account_id  text not null references accounts,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);

-- The text that proves the address of a payout wallet once it is signed; a new one replaces the last.
create table wallet_challenges (
  payout_wallet_id  text primary key references payout_wallets,
  message           text not null,
  expires_at        timestamptz(3) not null
);
