-- Why: the dashboard sums up, searches and shows the last requests without reading past what it does not show.

-- Days that are over, summed once. A day's row is written when somebody first looks at it after its end.
create table activity_days (
  account_id  text not null references accounts,
  livemode    boolean not null,
  day         date not null,
  -- One entry per currency and route: {currency, route, paid, volume_minor, fee_minor}; amounts as strings.
  paid        jsonb not null,
  started     integer not null check (started >= 0),
  primary key (account_id, livemode, day)
);
create index payments_by_paid on payments (account_id, livemode, paid_at) where paid_at is not null;
create index payments_by_start on payments (account_id, livemode, started_at) where started_at is not null;

-- Search: whole or beginning order numbers, and who sent money.
create index checkout_sessions_by_order on checkout_sessions (account_id, livemode, order_id text_pattern_ops) where order_id is not null;
create index transfers_by_sender on transfers (from_address) where from_address is not null;

-- The last requests of each account, written in batches beside the requests, never by them. Bounded by its pruning.
create table request_log (
  id          text not null,
  account_id  text not null,
  livemode    boolean not null,
  key_id      text,
  method      text not null,
  path        text not null,
  status      integer not null,
  code        text,
  duration_ms integer not null,
  idempotency_key text,
  at          timestamptz(3) not null,
  primary key (id)
);
create index request_log_by_account on request_log (account_id, livemode, at desc, id desc);
create index request_log_by_time on request_log (at);
