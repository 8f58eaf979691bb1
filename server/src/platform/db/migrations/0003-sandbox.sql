-- Why: what settlement keeps besides transfers and targets, and the ledger that stands in for the chains in test mode.

-- Which wallets have open or recent sessions: one look per wallet, however many sessions there are.
create index checkout_sessions_by_wallet on checkout_sessions (payout_wallet_id, expires_at desc);

-- Where several transfers must be judged against the payments that asked for their sender.
create index payment_targets_by_sender on payment_targets (livemode, network, sender) where sender is not null;

-- Whether a transfer to the address may carry the tag: a contract's wallet may refuse ether that comes with data.
alter table payment_targets add column takes_tag boolean not null default false;

-- What was final above a block, after a reorganisation that reached too deep.
create index transfers_final on transfers (network, block_number) where livemode and status = 'final';

-- A conversion ordered from a route provider: the other half of a routed target.
create table route_orders (
  id                  text primary key,
  target_id           text not null unique references payment_targets,
  payment_id          text not null references payments,
  livemode            boolean not null,
  provider            text not null,
  reference           text not null,
  deposit_address     text not null,
  refund_address      text not null,
  input_units         numeric(78,0) not null check (input_units > 0),
  minimum_input_units numeric(78,0) not null check (minimum_input_units > 0),
  -- The exact output asked for, and what would do without its tail; in base units of the receive asset.
  output_units        numeric(78,0) not null check (output_units > 0),
  required_units      numeric(78,0) not null check (required_units > 0 and required_units <= output_units),
  service_fee_minor   bigint not null check (service_fee_minor >= 0),
  deadline            timestamptz(3) not null,
  raw                 jsonb not null,
  state               text not null check (state in ('waiting', 'seen', 'short', 'converting', 'delivering', 'done', 'returned', 'stuck', 'dead')),
  reason              text,
  deposited_units     numeric(78,0),
  deposited_at        timestamptz(3),
  payout_tx_hashes    text[] not null default '{}',
  polled_at           timestamptz(3),
  -- Null once nothing more can come of it.
  due_at              timestamptz(3),
  created_at          timestamptz(3) not null
);
-- A deposit address belongs to one order: a provider that hands out one twice would let one deposit look like two.
create unique index route_orders_address on route_orders (livemode, provider, deposit_address);
create index route_orders_by_payment on route_orders (payment_id, created_at);
create index route_orders_due on route_orders (due_at) where due_at is not null;

-- What a customer signed: that this transaction is theirs and meant for this payment. Judged when its transfer is read.
create table claims (
  payment_id  text not null references payments,
  livemode    boolean not null,
  network     text not null,
  tx_hash     text not null,
  signature   text,
  created_at  timestamptz(3) not null,
  primary key (livemode, network, tx_hash, payment_id)
);

-- Transactions meant for a payment that the chain refused.
create table reverted_transactions (
  payment_id  text not null references payments,
  network     text not null,
  tx_hash     text not null,
  seen_at     timestamptz(3) not null,
  primary key (payment_id, network, tx_hash)
);

-- Accounts whose test clock runs ahead: few, and looked for every second.
create index accounts_ahead on accounts (id) where test_clock_offset_ms > 0;

-- The sandbox's chains: one of each network per account, so that one account's blocks are nobody else's.
create table sandbox_blocks (
  account_id  text not null references accounts,
  network     text not null,
  number      bigint not null,
  time        timestamptz(3) not null,
  primary key (account_id, network, number)
);

create table sandbox_transfers (
  account_id    text not null references accounts,
  network       text not null,
  tx_hash       text not null,
  index         integer not null,
  asset         text not null,
  from_address  text not null,
  to_address    text not null,
  amount_units  numeric(78,0) not null,
  carried       bytea[] not null default '{}',
  block_number  bigint not null,
  reverted      boolean not null default false,
  primary key (network, tx_hash, index)
);
create index sandbox_transfers_by_block on sandbox_transfers (account_id, network, block_number);

-- The sandbox's route provider: what was ordered, and how far it has come.
create table sandbox_orders (
  reference        text primary key,
  deposit_address  text not null,
  request          jsonb not null,
  state            text not null check (state in ('waiting', 'seen', 'short', 'converting', 'delivering', 'done', 'returned', 'stuck', 'dead')),
  reason           text,
  deposited_units  numeric(78,0),
  deposited_at     timestamptz(3),
  output_units     numeric(78,0),
  payout_tx_hashes text[] not null default '{}'
);
