-- Why: the tables everything hangs on, with the constraints that hold the money rules.
-- Every instant is a parameter of the statement that writes it; no default reads the clock.

create table accounts (
  id                     text primary key,
  email                  text unique,
  login_network          text check (login_network in ('ethereum', 'solana')),
  login_address          text,
  name                   text,
  logo_url               text,
  brand                  jsonb not null default '{}',
  support_email          text,
  support_url            text,
  frame_parents          text[] not null default '{}',
  tolerance_bps          integer check (tolerance_bps between 0 and 500),
  wallets_by_login_only  boolean not null default false,
  -- The account's test clock runs this far ahead of real time; it only ever grows.
  test_clock_offset_ms   bigint not null default 0 check (test_clock_offset_ms >= 0),
  created_at             timestamptz(3) not null,
  unique (login_network, login_address),
  check (email is not null or login_address is not null)
);

create table email_codes (
  id           text primary key,
  email        text not null,
  code_hash    bytea not null,
  attempts     integer not null default 0 check (attempts <= 5),
  created_at   timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  consumed_at  timestamptz(3),
  client       text not null
);
create index email_codes_by_email on email_codes (email, created_at desc);
create index email_codes_by_client on email_codes (client, created_at desc);

create table login_nonces (
  id          text primary key,
  network     text not null check (network in ('ethereum', 'solana')),
  address     text not null,
  message     text not null,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);
create index login_nonces_by_address on login_nonces (network, address, created_at desc);

create table login_tokens (
  token_hash    bytea primary key,
  account_id    text not null references accounts,
  method        text not null check (method in ('email', 'wallet', 'link')),
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3) not null,
  expires_at    timestamptz(3) not null
);
create index login_tokens_by_account on login_tokens (account_id);

create table api_keys (
  id            text primary key,
  account_id    text not null references accounts,
  livemode      boolean not null,
  label         text,
  secret_hash   bytea not null unique,
  last4         text not null,
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3)
);
create index api_keys_by_account on api_keys (account_id, livemode, created_at desc, id desc);

create table payout_wallets (
  id           text primary key,
  account_id   text not null references accounts,
  livemode     boolean not null,
  asset        text not null,
  network      text not null check (network in ('ethereum', 'base', 'polygon', 'arbitrum', 'solana')),
  address      text not null,
  label        text,
  is_default   boolean not null,
  archived_at  timestamptz(3),
  -- An address is owned by the account that proved it by a signature; it decides about unattributed transfers.
  proved_at    timestamptz(3),
  created_by   text not null check (created_by in ('key', 'login')),
  created_at   timestamptz(3) not null,
  unique (id, account_id, livemode),
  check (not (is_default and archived_at is not null))
);
create unique index payout_wallets_one_default on payout_wallets (account_id, livemode) where is_default;
create index payout_wallets_by_account on payout_wallets (account_id, livemode, created_at desc, id desc);
create index payout_wallets_by_address on payout_wallets (livemode, network, address);

create table payment_links (
  id                text primary key,
  account_id        text not null references accounts,
  livemode          boolean not null,
  payout_wallet_id  text not null,
  amount_minor      bigint not null check (amount_minor between 1 and 99999999999),
  currency          text not null check (currency in ('USD', 'EUR', 'AED')),
  description       text not null,
  order_id          text,
  metadata          jsonb not null default '{}',
  success_url       text,
  cancel_url        text,
  status            text not null check (status in ('active', 'disabled')),
  payments          integer not null default 0 check (payments >= 0),
  created_at        timestamptz(3) not null,
  foreign key (payout_wallet_id, account_id, livemode) references payout_wallets (id, account_id, livemode)
);
create index payment_links_by_account on payment_links (account_id, livemode, created_at desc, id desc);

-- What a merchant asked for. Never changes after it was created; what becomes of it is the payment's.
create table checkout_sessions (
  id                text primary key,
  account_id        text not null,
  livemode          boolean not null,
  payment_id        text not null unique,
  payout_wallet_id  text not null,
  payment_link_id   text references payment_links,
  amount_minor      bigint not null check (amount_minor between 1 and 99999999999),
  currency          text not null check (currency in ('USD', 'EUR', 'AED')),
  order_id          text,
  description       text,
  metadata          jsonb not null,
  line_items        jsonb,
  accepted_assets   text[] not null,
  -- 32 bytes: base58 on Solana, its first 16 in the calldata tag of the Ethereum family.
  reference         bytea not null unique check (length(reference) = 32),
  receive_asset     text not null,
  receive_network   text not null,
  receive_address   text not null,
  success_url       text,
  cancel_url        text,
  created_at        timestamptz(3) not null,
  expires_at        timestamptz(3) not null,
  check (expires_at > created_at),
  foreign key (payout_wallet_id, account_id, livemode) references payout_wallets (id, account_id, livemode)
);
-- The tag carries only 16 bytes, so those must be unique as well.
create unique index checkout_sessions_by_tag on checkout_sessions (substring(reference from 1 for 16));

-- The life of a session's payment. Changes only by payments/lifecycle.ts.
create table payments (
  id                     text primary key,
  account_id             text not null,
  livemode               boolean not null,
  session_id             text not null unique references checkout_sessions,
  status                 text not null check (status in
    ('created', 'pending', 'routing', 'settling', 'paid', 'failed', 'expired', 'refund_required', 'refunded')),
  -- How many events the payment has had; an event carries the number after it.
  sequence               integer not null check (sequence >= 1),
  route                  text not null check (route in ('direct', 'routed')),
  pay_asset              text not null,
  pay_network            text not null,
  service_fee_minor      bigint not null default 0 check (service_fee_minor >= 0),
  expected_output_units  numeric(78,0) check (expected_output_units >= 0),
  actual_output_units    numeric(78,0) check (actual_output_units >= 0),
  tx_hash                text,
  tx_hashes              text[] not null default '{}',
  failure_reason         text,
  refund                 jsonb,
  -- When the customer began to pay; a payment that was never begun is left out of lists.
  started_at             timestamptz(3),
  paid_at                timestamptz(3),
  ended_at               timestamptz(3),
  created_at             timestamptz(3) not null,
  expires_at             timestamptz(3) not null,
  check (route = 'routed' or service_fee_minor = 0)
);
-- Led by all that lists filter by, so that no page reads past payments of another kind.
create index payments_started on payments (account_id, livemode, route, created_at desc, id desc) where started_at is not null;
create index payments_by_status on payments (account_id, livemode, status, route, created_at desc, id desc);
create index payments_due_to_expire on payments (livemode, expires_at) where status in ('created', 'pending');

-- Each state a payment has been in, with the evidence for it. The key makes a second event of one number impossible.
create table payment_states (
  payment_id  text not null references payments,
  sequence    integer not null,
  status      text not null,
  evidence    jsonb not null default '{}',
  at          timestamptz(3) not null,
  primary key (payment_id, sequence)
);

-- What a customer was told to pay: asset, address, exact amount. Choosing again adds a target and never changes one.
create table payment_targets (
  id              text primary key,
  payment_id      text not null references payments,
  livemode        boolean not null,
  kind            text not null check (kind in ('direct', 'routed')),
  asset           text not null,
  network         text not null,
  address         text not null,
  -- What is asked for, its tail included, and what would do without the tail.
  amount_units    numeric(78,0) not null check (amount_units > 0),
  required_units  numeric(78,0) not null check (required_units > 0 and required_units <= amount_units),
  -- The price it was computed at, with its sources; null where the price is one to one.
  rate            jsonb,
  locked_until    timestamptz(3) not null,
  refund_address  text,
  sender          text,
  created_at      timestamptz(3) not null
);
create index payment_targets_by_payment on payment_targets (payment_id, created_at);
create index payment_targets_by_address on payment_targets (livemode, network, lower(address));

-- Exact amounts that identify a payment: one open payment per network, address, asset and amount, whoever's it is.
create table reserved_amounts (
  livemode        boolean not null,
  network         text not null,
  address         text not null,
  asset           text not null,
  amount_units    numeric(78,0) not null check (amount_units > 0),
  payment_id      text not null references payments,
  purpose         text not null check (purpose in ('target', 'remainder', 'route_output')),
  taken_at        timestamptz(3) not null,
  -- Null while the payment is open; 48 hours after its end once it has ended.
  reserved_until  timestamptz(3),
  primary key (livemode, network, address, asset, amount_units)
);
create index reserved_amounts_by_payment on reserved_amounts (payment_id);

-- Every inbound transfer to a watched payout wallet. The unique key is the rule that one transfer pays at most once.
create table transfers (
  id             text primary key,
  livemode       boolean not null,
  network        text not null,
  tx_hash        text not null,
  -- Its ordinal within the transaction, so that a reorganisation cannot make two of one.
  index          integer not null check (index >= 0),
  asset          text not null,
  from_address   text,
  to_address     text not null,
  amount_units   numeric(78,0) not null check (amount_units >= 0),
  block_number   bigint not null,
  block_hash     text not null,
  block_time     timestamptz(3) not null,
  -- The 16- or 32-byte references that its transaction carries for it.
  carried        bytea[] not null default '{}',
  status         text not null check (status in ('seen', 'final', 'dropped')),
  payment_id     text references payments,
  target_id      text references payment_targets,
  -- Which rule found the payment: reference, amount, sender, claim, hand.
  attributed_by  text,
  -- Worth in units of the target it pays, where its own price differs from the target's.
  credited_units numeric(78,0),
  reason         text,
  near_payment_id text references payments,
  handled_at     timestamptz(3),
  evidence       jsonb not null default '{}',
  first_seen_at  timestamptz(3) not null,
  final_at       timestamptz(3),
  unique (livemode, network, tx_hash, index)
);
create index transfers_by_payment on transfers (payment_id) where payment_id is not null;
create index transfers_unfinal on transfers (livemode, network, block_number) where status = 'seen';
create index transfers_unattributed on transfers (livemode, network, lower(to_address), block_time desc) where payment_id is null;

-- How far each network has been read, by which pass, and who is reading.
create table chain_cursors (
  network       text not null,
  pass          text not null check (pass in ('first', 'second')),
  block_number  bigint,
  block_hash    text,
  block_time    timestamptz(3),
  holder        text,
  -- Rises with every new holder; a paused one cannot write over its successor.
  token         bigint not null default 0,
  lease_until   timestamptz(3),
  primary key (network, pass)
);

-- The blocks the cursor stood at, linked by hash, to find where a reorganisation began.
create table chain_blocks (
  network  text not null,
  number   bigint not null,
  hash     text not null,
  time     timestamptz(3) not null,
  primary key (network, number)
);

create table rate_samples (
  pair     text not null,
  minute   timestamptz(3) not null,
  rate     numeric not null check (rate > 0),
  sources  jsonb not null,
  primary key (pair, minute)
);

create table webhook_endpoints (
  id             text primary key,
  account_id     text not null references accounts,
  livemode       boolean not null,
  url            text not null,
  events         text[] not null check (cardinality(events) > 0),
  secret         bytea not null,
  -- While a rotated secret overlaps, both sign.
  old_secret     bytea,
  old_secret_until timestamptz(3),
  status         text not null check (status in ('active', 'disabled')),
  disabled_at    timestamptz(3),
  -- When its merchant was last told by mail that it fails; null again once it has answered well.
  warned_at      timestamptz(3),
  -- How its worker queues it: not yet proven, answering well, or slow and failing.
  lane           text not null default 'unproven' check (lane in ('unproven', 'good', 'slow')),
  deleted_at     timestamptz(3),
  created_at     timestamptz(3) not null
);
create index webhook_endpoints_by_account on webhook_endpoints (account_id, livemode, created_at desc, id desc) where deleted_at is null;

-- Events and attempts are kept for a time and dropped by the month; bodies never change once written.
-- Ids are random, or follow from what they stand for, and a key over partitions could not hold them apart; these
-- tables are written more than anything else, so they have only the indexes that something reads by.
create table events (
  id           text not null,
  account_id   text not null,
  livemode     boolean not null,
  payment_id   text not null,
  sequence     integer not null,
  type         text not null,
  body         bytea not null,
  created_at   timestamptz(3) not null,
  recorded_at  timestamptz(3) not null
) partition by range (recorded_at);
create index events_by_id on events (id);
create index events_by_account on events (account_id, livemode, recorded_at desc, id desc);
create index events_by_payment on events (payment_id, sequence);
create table events_default partition of events default;

-- One per event and endpoint.
create table deliveries (
  id            text not null,
  account_id    text not null,
  livemode      boolean not null,
  endpoint_id   text not null,
  event_id      text not null,
  event_type    text not null,
  state         text not null check (state in ('pending', 'parked', 'delivered', 'failed', 'cancelled')),
  attempts      integer not null default 0 check (attempts between 0 and 6),
  due_at        timestamptz(3),
  -- While it is sent again by hand: what it goes back to when that fails. Such an attempt is not counted.
  resume_state  text check (resume_state in ('pending', 'parked', 'delivered', 'failed')),
  resume_due_at timestamptz(3),
  recorded_at   timestamptz(3) not null,
  event_recorded_at timestamptz(3) not null,
  finished_at   timestamptz(3),
  check ((state = 'pending') = (due_at is not null))
) partition by range (recorded_at);
create index deliveries_by_id on deliveries (id);
create index deliveries_due on deliveries (endpoint_id, due_at) where state = 'pending';
create index deliveries_failed on deliveries (endpoint_id, finished_at) where state = 'failed';
create index deliveries_parked on deliveries (endpoint_id) where state = 'parked';
create index deliveries_by_endpoint on deliveries (endpoint_id, recorded_at desc, id desc);
create table deliveries_default partition of deliveries default;

-- Who is sending what right now. Not logged: should the database crash, all of it may be taken again, which at worst
-- sends twice what was on its way. A row of its own, because a delivery is costly to write and need change only once.
create unlogged table delivery_leases (
  delivery_id  text primary key,
  endpoint_id  text not null,
  holder       text not null,
  until        timestamptz(3) not null
);
create index delivery_leases_by_endpoint on delivery_leases (endpoint_id);

create table delivery_attempts (
  id             text not null,
  delivery_id    text not null,
  endpoint_id    text not null,
  number         integer not null,
  kind           text not null check (kind in ('scheduled', 'manual')),
  outcome        text not null check (outcome in ('delivered', 'failed')),
  response_code  integer,
  response_body  text,
  error          text,
  duration_ms    integer not null,
  attempted_at   timestamptz(3) not null,
  recorded_at    timestamptz(3) not null
) partition by range (recorded_at);
create index delivery_attempts_by_delivery on delivery_attempts (delivery_id, recorded_at);
create table delivery_attempts_default partition of delivery_attempts default;

-- The first answer of each keyed request. A plain table: a partition would let a key pass twice.
create table idempotency_keys (
  account_id    text not null,
  livemode      boolean not null,
  key           text not null,
  fingerprint   bytea not null,
  request_id    text not null,
  status        integer,
  body          bytea,
  -- Answers that hold a secret are encrypted.
  sealed        boolean not null default false,
  expires_at    timestamptz(3) not null,
  primary key (account_id, livemode, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Mail to be sent; written with the change it tells of, sent by the worker.
create table mails (
  id           text primary key,
  to_address   text not null,
  -- Subject and text, sealed, because a login code stands in them; emptied once the mail is out.
  content      bytea,
  attempts     integer not null default 0,
  -- Null once the mail is sent or given up.
  due_at       timestamptz(3),
  lease        text,
  lease_until  timestamptz(3),
  -- After this instant the mail says nothing useful any more (a code has expired).
  useful_until timestamptz(3) not null,
  sent_at      timestamptz(3),
  error        text,
  created_at   timestamptz(3) not null
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_by_creation on mails (created_at);

create table quotes (
  id           text primary key,
  account_id   text not null,
  livemode     boolean not null,
  body         jsonb not null,
  created_at   timestamptz(3) not null,
  expires_at   timestamptz(3) not null
);
create index quotes_by_expiry on quotes (expires_at);
