-- The schema after all migrations, to read. Written by `npm run docs`; the migrations are what is applied.

create table accounts (
  brand jsonb not null default '{}'::jsonb,
  confirm_key_wallets boolean not null default false,
  created_at timestamp(3) with time zone not null,
  email text,
  frame_parents text[] not null default '{}'::text[],
  id text not null,
  is_operator boolean not null default false,
  login_address text,
  login_network text,
  logo_url text,
  name text,
  notices text[] not null default '{}'::text[],
  paymaster_host text,
  paymaster_url bytea,
  receipt_details text,
  session_defaults jsonb not null default '{}'::jsonb,
  support_email text,
  support_url text,
  test_clock_offset_ms bigint not null default 0,
  tolerance_bps integer,
  wallets_by_login_only boolean not null default false,
  CHECK (((email IS NOT NULL) OR (login_address IS NOT NULL))),
  CHECK (((test_clock_offset_ms >= 0) AND (test_clock_offset_ms <= '316224000000'::bigint))),
  CHECK (((tolerance_bps >= 0) AND (tolerance_bps <= 500))),
  PRIMARY KEY (id),
  UNIQUE (email),
  UNIQUE (login_network, login_address)
);
CREATE INDEX accounts_ahead ON accounts USING btree (id) WHERE (test_clock_offset_ms > 0);

create table activity_days (
  account_id text not null,
  day date not null,
  livemode boolean not null,
  paid jsonb not null,
  started integer not null,
  CHECK ((started >= 0)),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (account_id, livemode, day)
);

create table activity_so_far (
  account_id text not null,
  day date not null,
  livemode boolean not null,
  paid jsonb not null,
  started integer not null,
  summed_until timestamp(3) with time zone not null,
  CHECK ((started >= 0)),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (account_id, livemode, day)
);

create table address_activity (
  address text not null,
  dust integer not null default 0,
  dust_units numeric(78,0) not null default 0,
  hour timestamp(3) with time zone not null,
  network text not null,
  skipped integer not null default 0,
  stored integer not null default 0,
  stored_on_hints integer not null default 0,
  PRIMARY KEY (network, address, hour)
);
CREATE INDEX address_activity_by_hour ON address_activity USING btree (hour);

create table address_disputes (
  account_id text not null,
  address text not null,
  at timestamp(3) with time zone not null,
  livemode boolean not null,
  method text not null,
  network text not null,
  owner_id text not null,
  CHECK ((method = ANY (ARRAY['signature'::text, 'contract'::text, 'transfer'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (owner_id) REFERENCES accounts(id),
  PRIMARY KEY (livemode, network, address, account_id)
);

create table address_owners (
  account_id text not null,
  address text not null,
  livemode boolean not null,
  method text not null,
  network text not null,
  proved_at timestamp(3) with time zone not null,
  CHECK ((method = ANY (ARRAY['signature'::text, 'contract'::text, 'transfer'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (livemode, network, address)
);

create table alarm_mails (
  mailed_at timestamp(3) with time zone not null,
  name text not null,
  PRIMARY KEY (name)
);

create table api_keys (
  account_id text not null,
  created_at timestamp(3) with time zone not null,
  id text not null,
  label text,
  last4 text not null,
  last_used_at timestamp(3) with time zone,
  livemode boolean not null,
  previous_expires_at timestamp(3) with time zone,
  previous_hash bytea,
  revoked_at timestamp(3) with time zone,
  scopes text[],
  secret_hash bytea not null,
  CHECK (((previous_hash IS NULL) = (previous_expires_at IS NULL))),
  CHECK ((cardinality(scopes) >= 1)),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id),
  UNIQUE (secret_hash)
);
CREATE INDEX api_keys_by_account ON api_keys USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX api_keys_by_previous_hash ON api_keys USING btree (previous_hash) WHERE (previous_hash IS NOT NULL);

create table chain_blocks (
  hash text not null,
  network text not null,
  number bigint not null,
  pass text not null,
  provider text,
  time timestamp(3) with time zone not null,
  CHECK ((pass = ANY (ARRAY['first'::text, 'second'::text]))),
  PRIMARY KEY (network, pass, number)
);

create table chain_cursors (
  block_hash text,
  block_number bigint,
  block_time timestamp(3) with time zone,
  holder text,
  lease_until timestamp(3) with time zone,
  network text not null,
  pass text not null,
  progressed_at timestamp(3) with time zone,
  rests boolean not null default false,
  token bigint not null default 0,
  waits_for_provider boolean not null default false,
  CHECK ((pass = ANY (ARRAY['first'::text, 'second'::text]))),
  PRIMARY KEY (network, pass)
);

create table checkout_sessions (
  accepted_assets text[] not null,
  account_id text not null,
  amount_minor bigint not null,
  cancel_url text,
  created_at timestamp(3) with time zone not null,
  currency text not null,
  customer jsonb,
  description text,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  line_items jsonb,
  livemode boolean not null,
  metadata jsonb not null,
  order_id text,
  payment_id text not null,
  payment_link_id text,
  payout_wallet_id text not null,
  receive_address text not null,
  receive_asset text not null,
  receive_network text not null,
  reference bytea not null,
  retry_of text,
  retry_until timestamp(3) with time zone,
  success_url text,
  CHECK (((amount_minor >= 1) AND (amount_minor <= '99999999999'::bigint))),
  CHECK ((currency = ANY (ARRAY['USD'::text, 'EUR'::text, 'AED'::text]))),
  CHECK ((expires_at > created_at)),
  CHECK ((length(reference) = 32)),
  FOREIGN KEY (payment_link_id) REFERENCES payment_links(id),
  FOREIGN KEY (payout_wallet_id, account_id, livemode) REFERENCES payout_wallets(id, account_id, livemode),
  PRIMARY KEY (id),
  UNIQUE (payment_id),
  UNIQUE (reference)
);
CREATE INDEX checkout_sessions_by_customer_email ON checkout_sessions USING btree (account_id, livemode, ((customer ->> 'email'::text)), created_at DESC, payment_id DESC) WHERE ((customer ->> 'email'::text) IS NOT NULL);
CREATE INDEX checkout_sessions_by_customer_reference ON checkout_sessions USING btree (account_id, livemode, ((customer ->> 'reference'::text)), created_at DESC, payment_id DESC) WHERE ((customer ->> 'reference'::text) IS NOT NULL);
CREATE INDEX checkout_sessions_by_link ON checkout_sessions USING btree (payment_link_id, created_at DESC, payment_id DESC) WHERE (payment_link_id IS NOT NULL);
CREATE INDEX checkout_sessions_by_order ON checkout_sessions USING btree (account_id, livemode, order_id text_pattern_ops) WHERE (order_id IS NOT NULL);
CREATE UNIQUE INDEX checkout_sessions_by_retry ON checkout_sessions USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE UNIQUE INDEX checkout_sessions_by_tag ON checkout_sessions USING btree (SUBSTRING(reference FROM 1 FOR 16));
CREATE INDEX checkout_sessions_by_wallet ON checkout_sessions USING btree (payout_wallet_id, expires_at DESC);
CREATE INDEX checkout_sessions_long_by_wallet ON checkout_sessions USING btree (payout_wallet_id, ceil(log((2)::numeric, (EXTRACT(epoch FROM (expires_at - created_at)) / (86400)::numeric))), expires_at) WHERE ((expires_at - created_at) > '1 day'::interval);

create table customers (
  account_id text not null,
  email text,
  folded_name text,
  id text not null,
  last_paid_at timestamp(3) with time zone not null,
  livemode boolean not null,
  name text,
  payments integer not null,
  reference text,
  totals jsonb not null,
  CHECK (((email IS NOT NULL) OR (reference IS NOT NULL))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id)
);
CREATE INDEX customers_by_email ON customers USING btree (account_id, livemode, email text_pattern_ops) WHERE (email IS NOT NULL);
CREATE INDEX customers_by_name ON customers USING btree (account_id, livemode, folded_name text_pattern_ops) WHERE (folded_name IS NOT NULL);
CREATE INDEX customers_by_payment ON customers USING btree (account_id, livemode, last_paid_at DESC, id DESC);
CREATE INDEX customers_by_reference ON customers USING btree (account_id, livemode, reference text_pattern_ops) WHERE (reference IS NOT NULL);

create table deliveries (
  account_id text not null,
  attempts integer not null default 0,
  due_at timestamp(3) with time zone,
  endpoint_id text not null,
  event_id text not null,
  event_recorded_at timestamp(3) with time zone not null,
  event_type text not null,
  finished_at timestamp(3) with time zone,
  id text not null,
  livemode boolean not null,
  recorded_at timestamp(3) with time zone not null,
  resume_due_at timestamp(3) with time zone,
  resume_state text,
  state text not null,
  CHECK (((attempts >= 0) AND (attempts <= 6))),
  CHECK (((state = 'pending'::text) = (due_at IS NOT NULL))),
  CHECK ((resume_state = ANY (ARRAY['pending'::text, 'parked'::text, 'delivered'::text, 'failed'::text]))),
  CHECK ((state = ANY (ARRAY['pending'::text, 'parked'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
) partition by range (recorded_at);
CREATE INDEX deliveries_by_endpoint ON deliveries USING btree (endpoint_id, recorded_at DESC, id DESC);
CREATE INDEX deliveries_by_id ON deliveries USING btree (id);
CREATE INDEX deliveries_due ON deliveries USING btree (endpoint_id, due_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_due_at ON deliveries USING btree (COALESCE(due_at, 'infinity'::timestamp with time zone)) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_failed ON deliveries USING btree (endpoint_id, finished_at) WHERE (state = 'failed'::text);
CREATE INDEX deliveries_parked ON deliveries USING btree (endpoint_id) WHERE (state = 'parked'::text);

create table delivery_attempts (
  attempted_at timestamp(3) with time zone not null,
  delivery_id text not null,
  duration_ms integer not null,
  endpoint_id text not null,
  error text,
  id text not null,
  kind text not null,
  number integer not null,
  outcome text not null,
  recorded_at timestamp(3) with time zone not null,
  response_body text,
  response_code integer,
  CHECK ((kind = ANY (ARRAY['scheduled'::text, 'manual'::text]))),
  CHECK ((outcome = ANY (ARRAY['delivered'::text, 'failed'::text])))
) partition by range (recorded_at);
CREATE INDEX delivery_attempts_by_delivery ON delivery_attempts USING btree (delivery_id, recorded_at);

create unlogged table delivery_leases (
  delivery_id text not null,
  endpoint_id text not null,
  holder text not null,
  until timestamp(3) with time zone not null,
  PRIMARY KEY (delivery_id)
);
CREATE INDEX delivery_leases_by_endpoint ON delivery_leases USING btree (endpoint_id);

create unlogged table delivery_workers (
  id text not null,
  until timestamp(3) with time zone not null,
  PRIMARY KEY (id)
);

create table email_code_tries (
  client text not null,
  code_id text not null,
  tries integer not null,
  CHECK (((tries >= 1) AND (tries <= 20))),
  FOREIGN KEY (code_id) REFERENCES email_codes(id) ON DELETE CASCADE,
  PRIMARY KEY (code_id, client)
);

create table email_codes (
  attempts integer not null default 0,
  client text not null,
  client_range text,
  code_hash bytea not null,
  consumed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  email text not null,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  invitation_id text,
  link_hash bytea,
  sent boolean not null default true,
  CHECK ((attempts <= 50)),
  FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE SET NULL,
  PRIMARY KEY (id)
);
CREATE INDEX email_codes_by_client ON email_codes USING btree (client, created_at DESC);
CREATE INDEX email_codes_by_client_range ON email_codes USING btree (client_range, created_at DESC) WHERE (client_range IS NOT NULL);
CREATE INDEX email_codes_by_email ON email_codes USING btree (email, created_at DESC);
CREATE UNIQUE INDEX email_codes_by_link ON email_codes USING btree (link_hash) WHERE (link_hash IS NOT NULL);
CREATE INDEX email_codes_sent ON email_codes USING btree (created_at DESC) WHERE sent;

create table events (
  account_id text not null,
  body bytea not null,
  created_at timestamp(3) with time zone not null,
  id text not null,
  livemode boolean not null,
  object_id text not null,
  recorded_at timestamp(3) with time zone not null,
  sequence integer not null,
  type text not null
) partition by range (recorded_at);
CREATE INDEX events_by_account ON events USING btree (account_id, livemode, recorded_at DESC, id DESC);
CREATE INDEX events_by_id ON events USING btree (id);
CREATE INDEX events_by_object ON events USING btree (object_id, sequence);
CREATE INDEX events_by_type ON events USING btree (account_id, livemode, type, recorded_at DESC, id DESC);

create table idempotency_keys (
  account_id text not null,
  body bytea,
  expires_at timestamp(3) with time zone not null,
  fingerprint bytea not null,
  key text not null,
  livemode boolean not null,
  request_id text not null,
  sealed boolean not null default false,
  status integer,
  PRIMARY KEY (account_id, livemode, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys USING btree (expires_at);

create table invitations (
  account_id text,
  created_at timestamp(3) with time zone not null,
  email text,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  kind text not null,
  label text,
  revoked_at timestamp(3) with time zone,
  token_hash bytea not null,
  used_at timestamp(3) with time zone,
  CHECK (((kind = 'setup'::text) = (account_id IS NULL))),
  CHECK ((kind = ANY (ARRAY['setup'::text, 'member'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id),
  UNIQUE (token_hash)
);
CREATE INDEX invitations_by_account ON invitations USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX invitations_by_expiry ON invitations USING btree (expires_at);

create table login_links (
  account_id text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  token_hash bytea not null,
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (token_hash)
);

create table login_nonces (
  address text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  message text not null,
  network text not null,
  PRIMARY KEY (id)
);
CREATE INDEX login_nonces_by_address ON login_nonces USING btree (network, address, created_at DESC);

create table login_tokens (
  account_id text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  method text not null,
  token_hash bytea not null,
  CHECK ((method = ANY (ARRAY['email'::text, 'wallet'::text, 'link'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (token_hash)
);
CREATE INDEX login_tokens_by_account ON login_tokens USING btree (account_id);

create table logos (
  account_id text not null,
  bytes bytea not null,
  created_at timestamp(3) with time zone not null,
  hash text not null,
  type text not null,
  CHECK ((octet_length(bytes) <= 184320)),
  CHECK ((type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (account_id, hash)
);
CREATE INDEX logos_by_hash ON logos USING btree (hash);

create table machine_credentials (
  account_nonce bigint,
  attempts smallint not null default 0,
  challenge_id text,
  created_at timestamp(3) with time zone not null,
  credential bytea,
  due_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  id text not null,
  kind text not null,
  livemode boolean not null,
  network text not null,
  nonce bytea,
  payer text,
  payment_id text not null,
  protocol text not null,
  replay_key bytea not null,
  state text not null,
  token text,
  tx_hash text,
  valid_before timestamp(3) with time zone,
  CHECK ((kind = ANY (ARRAY['transaction'::text, 'authorization'::text, 'hash'::text, 'signature'::text]))),
  CHECK ((length(challenge_id) <= 128)),
  CHECK ((length(credential) <= 32768)),
  CHECK ((length(nonce) = 32)),
  CHECK ((protocol = ANY (ARRAY['mpp'::text, 'x402'::text]))),
  CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'void'::text]))),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (id),
  UNIQUE (livemode, network, replay_key)
);
CREATE INDEX machine_credentials_by_nonce ON machine_credentials USING btree (livemode, network, nonce) WHERE (nonce IS NOT NULL);
CREATE INDEX machine_credentials_due ON machine_credentials USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX machine_credentials_of_payment ON machine_credentials USING btree (payment_id, created_at);
CREATE UNIQUE INDEX machine_credentials_open_by_account_nonce ON machine_credentials USING btree (network, payer, account_nonce) WHERE ((state = 'open'::text) AND (account_nonce IS NOT NULL));

create table mails (
  attempts integer not null default 0,
  content bytea,
  created_at timestamp(3) with time zone not null,
  due_at timestamp(3) with time zone,
  error text,
  id text not null,
  lease text,
  lease_until timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  to_address text not null,
  useful_until timestamp(3) with time zone not null,
  PRIMARY KEY (id)
);
CREATE INDEX mails_by_creation ON mails USING btree (created_at);
CREATE INDEX mails_due ON mails USING btree (due_at) WHERE (due_at IS NOT NULL);

create table network_health (
  answered_at timestamp(3) with time zone,
  asked_at timestamp(3) with time zone not null,
  network text not null,
  process text not null,
  providers jsonb not null,
  PRIMARY KEY (network, process)
);

create table notices (
  account_id text not null,
  due_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  handled_at timestamp(3) with time zone,
  id bigint not null generated always as identity,
  kind text not null,
  livemode boolean not null,
  outcome text,
  payment_id text,
  refund_id text,
  to_address text,
  transfer_id text,
  CHECK (((handled_at IS NULL) = (outcome IS NULL))),
  CHECK ((kind = ANY (ARRAY['paid'::text, 'needs_decision'::text, 'refund_answered'::text, 'unattributed'::text, 'receipt'::text]))),
  CHECK ((outcome = ANY (ARRAY['mailed'::text, 'digest'::text, 'skipped'::text, 'limited'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id)
);
CREATE INDEX notices_by_account ON notices USING btree (account_id, livemode, outcome, handled_at DESC) WHERE (handled_at IS NOT NULL);
CREATE INDEX notices_by_address ON notices USING btree (to_address, handled_at) WHERE ((kind = 'receipt'::text) AND (outcome = 'mailed'::text));
CREATE INDEX notices_due ON notices USING btree (due_at) WHERE (handled_at IS NULL);
CREATE INDEX notices_handled ON notices USING btree (handled_at) WHERE (handled_at IS NOT NULL);
CREATE UNIQUE INDEX notices_of_receipts ON notices USING btree (payment_id) WHERE (kind = 'receipt'::text);
CREATE UNIQUE INDEX notices_of_transfers ON notices USING btree (account_id, transfer_id) WHERE (transfer_id IS NOT NULL);
CREATE INDEX notices_waiting ON notices USING btree (account_id, livemode, id) WHERE (handled_at IS NULL);

create table outgoing_transfers (
  account_id text not null,
  index integer not null,
  livemode boolean not null,
  network text not null,
  tx_hash text not null,
  used_by text not null,
  PRIMARY KEY (account_id, livemode, network, tx_hash, index)
);

create table payment_links (
  account_id text not null,
  amount_minor bigint not null,
  ask_for text[] not null default '{}'::text[],
  cancel_url text,
  created_at timestamp(3) with time zone not null,
  currency text not null,
  customer jsonb,
  description text not null,
  ends_at timestamp(3) with time zone,
  id text not null,
  livemode boolean not null,
  max_amount_minor bigint,
  max_payments integer,
  metadata jsonb not null default '{}'::jsonb,
  min_amount_minor bigint,
  note_label text,
  order_id text,
  payments integer not null default 0,
  payout_wallet_id text not null,
  status text not null,
  success_url text,
  CHECK (((amount_minor >= 1) AND (amount_minor <= '99999999999'::bigint))),
  CHECK (((max_amount_minor >= min_amount_minor) AND (max_amount_minor <= '99999999999'::bigint))),
  CHECK (((min_amount_minor IS NULL) = (max_amount_minor IS NULL))),
  CHECK ((currency = ANY (ARRAY['USD'::text, 'EUR'::text, 'AED'::text]))),
  CHECK ((max_payments >= 1)),
  CHECK ((min_amount_minor >= 1)),
  CHECK ((payments >= 0)),
  CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (payout_wallet_id, account_id, livemode) REFERENCES payout_wallets(id, account_id, livemode),
  PRIMARY KEY (id)
);
CREATE INDEX payment_links_by_account ON payment_links USING btree (account_id, livemode, created_at DESC, id DESC);

create table payment_states (
  at timestamp(3) with time zone not null,
  evidence jsonb not null default '{}'::jsonb,
  payment_id text not null,
  sequence integer not null,
  status text not null,
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (payment_id, sequence)
);

create table payment_targets (
  address text not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  created_at timestamp(3) with time zone not null,
  id text not null,
  kind text not null,
  livemode boolean not null,
  locked_until timestamp(3) with time zone not null,
  network text not null,
  payment_id text not null,
  rate jsonb,
  refund_address text,
  required_units numeric(78,0) not null,
  sender text,
  takes_tag boolean not null default false,
  CHECK (((required_units > (0)::numeric) AND (required_units <= amount_units))),
  CHECK ((amount_units > (0)::numeric)),
  CHECK ((kind = ANY (ARRAY['direct'::text, 'routed'::text]))),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (id)
);
CREATE INDEX payment_targets_by_address ON payment_targets USING btree (livemode, network, lower(address));
CREATE INDEX payment_targets_by_payment ON payment_targets USING btree (payment_id, created_at);
CREATE INDEX payment_targets_by_sender ON payment_targets USING btree (livemode, network, sender) WHERE (sender IS NOT NULL);
CREATE INDEX payment_targets_of_sender ON payment_targets USING btree (livemode, network, sender, address, asset, created_at DESC) WHERE (sender IS NOT NULL);

create table payments (
  account_id text not null,
  actual_output_units numeric(78,0),
  arrived_network text,
  balance text,
  created_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  expected_output_units numeric(78,0),
  expires_at timestamp(3) with time zone not null,
  failure_reason text,
  id text not null,
  is_announced boolean not null default true,
  livemode boolean not null,
  offered_at timestamp(3) with time zone,
  paid_at timestamp(3) with time zone,
  pay_asset text not null,
  pay_network text not null,
  real_expires_at timestamp(3) with time zone,
  refund jsonb,
  refunds jsonb,
  route text not null,
  sequence integer not null,
  service_fee_minor bigint not null default 0,
  session_id text not null,
  settlement_alert jsonb,
  started_at timestamp(3) with time zone,
  status text not null,
  tx_hash text,
  tx_hashes text[] not null default '{}'::text[],
  CHECK (((route = 'routed'::text) OR (service_fee_minor = 0))),
  CHECK ((actual_output_units >= (0)::numeric)),
  CHECK ((balance = ANY (ARRAY['overpaid'::text, 'partly_refunded'::text]))),
  CHECK ((expected_output_units >= (0)::numeric)),
  CHECK ((route = ANY (ARRAY['direct'::text, 'routed'::text]))),
  CHECK ((sequence >= 1)),
  CHECK ((service_fee_minor >= 0)),
  CHECK ((status = ANY (ARRAY['created'::text, 'pending'::text, 'routing'::text, 'settling'::text, 'paid'::text, 'failed'::text, 'expired'::text, 'refund_required'::text, 'refunded'::text]))),
  FOREIGN KEY (session_id) REFERENCES checkout_sessions(id),
  PRIMARY KEY (id),
  UNIQUE (session_id)
);
CREATE INDEX payments_alerted ON payments USING btree (account_id, livemode) WHERE (settlement_alert IS NOT NULL);
CREATE INDEX payments_by_balance ON payments USING btree (account_id, livemode, balance, route, created_at DESC, id DESC) WHERE (balance IS NOT NULL);
CREATE INDEX payments_by_paid ON payments USING btree (account_id, livemode, paid_at) WHERE (paid_at IS NOT NULL);
CREATE INDEX payments_by_start ON payments USING btree (account_id, livemode, started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX payments_by_status ON payments USING btree (account_id, livemode, status, route, created_at DESC, id DESC);
CREATE INDEX payments_due_to_expire ON payments USING btree (livemode, expires_at) WHERE (status = ANY (ARRAY['created'::text, 'pending'::text]));
CREATE INDEX payments_payable ON payments USING btree (route, pay_network) WHERE (livemode AND (status = ANY (ARRAY['created'::text, 'pending'::text, 'routing'::text, 'settling'::text])) AND ((started_at IS NOT NULL) OR (offered_at IS NOT NULL)));
CREATE INDEX payments_started ON payments USING btree (account_id, livemode, route, created_at DESC, id DESC) WHERE (started_at IS NOT NULL);
CREATE INDEX payments_unpaid ON payments USING btree (COALESCE(real_expires_at, expires_at), id) WHERE ((status = 'expired'::text) AND (started_at IS NOT NULL));
CREATE INDEX payments_unstarted ON payments USING btree (COALESCE(real_expires_at, expires_at), id) WHERE ((status = 'expired'::text) AND (started_at IS NULL));

create table payout_wallets (
  account_id text not null,
  address text not null,
  announced_at timestamp(3) with time zone,
  archived_at timestamp(3) with time zone,
  asset text not null,
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  id text not null,
  is_default boolean not null,
  label text,
  livemode boolean not null,
  look_up_at timestamp(3) with time zone,
  needs_proof boolean not null default false,
  network text not null,
  unconfirmed boolean not null default false,
  unfit text,
  watched_until timestamp(3) with time zone,
  CHECK ((NOT (is_default AND (archived_at IS NOT NULL)))),
  CHECK ((created_by = ANY (ARRAY['key'::text, 'login'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id),
  UNIQUE (id, account_id, livemode)
);
CREATE INDEX payout_wallets_by_account ON payout_wallets USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX payout_wallets_by_address ON payout_wallets USING btree (livemode, network, address);
CREATE UNIQUE INDEX payout_wallets_one_default ON payout_wallets USING btree (account_id, livemode) WHERE is_default;
CREATE INDEX payout_wallets_savers ON payout_wallets USING btree (livemode, address, created_at, id) WHERE (archived_at IS NULL);
CREATE INDEX payout_wallets_to_look_up ON payout_wallets USING btree (look_up_at) WHERE (look_up_at IS NOT NULL);
CREATE INDEX payout_wallets_watched ON payout_wallets USING btree (network, watched_until) INCLUDE (address) WHERE (livemode AND (watched_until IS NOT NULL));

create table payouts (
  account_id text not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  created_at timestamp(3) with time zone not null,
  due_at timestamp(3) with time zone,
  failure_reason text,
  id text not null,
  import_name text not null,
  line integer not null,
  livemode boolean not null,
  looks integer not null default 0,
  mismatch jsonb,
  network text not null,
  note text,
  other_hashes text[] not null default '{}'::text[],
  sent_at timestamp(3) with time zone,
  status text not null,
  to_address text not null,
  transfer_index integer,
  tx_hash text,
  verified boolean not null default false,
  wallet jsonb,
  CHECK (((status <> 'sent'::text) OR (tx_hash IS NOT NULL))),
  CHECK (((status = ANY (ARRAY['planned'::text, 'sent'::text])) = (due_at IS NOT NULL))),
  CHECK ((amount_units > (0)::numeric)),
  CHECK ((cardinality(other_hashes) <= 4)),
  CHECK ((status = ANY (ARRAY['planned'::text, 'sent'::text, 'final'::text, 'failed'::text, 'cancelled'::text]))),
  CHECK ((verified = (transfer_index IS NOT NULL))),
  PRIMARY KEY (id),
  UNIQUE (account_id, livemode, import_name, line)
);
CREATE INDEX payouts_by_account ON payouts USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE INDEX payouts_by_status ON payouts USING btree (account_id, livemode, status, created_at DESC, id DESC);
CREATE INDEX payouts_doubtful ON payouts USING btree (account_id, livemode, sent_at DESC, id DESC) WHERE (((status = 'sent'::text) AND (mismatch IS NOT NULL)) OR ((status = 'final'::text) AND (other_hashes <> '{}'::text[])));
CREATE INDEX payouts_due ON payouts USING btree (account_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX payouts_unsent ON payouts USING btree (created_at) WHERE ((NOT livemode) OR ((status = 'cancelled'::text) AND (tx_hash IS NULL)));

create table provider_answers (
  answered_at timestamp(3) with time zone not null,
  network text not null,
  provider text not null,
  PRIMARY KEY (network, provider)
);

create table quotes (
  account_id text not null,
  body jsonb not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  id text not null,
  livemode boolean not null,
  PRIMARY KEY (id)
);
CREATE INDEX quotes_by_expiry ON quotes USING btree (expires_at);

create table rate_samples (
  minute timestamp(3) with time zone not null,
  pair text not null,
  rate numeric not null,
  sources jsonb not null,
  CHECK ((rate > (0)::numeric)),
  PRIMARY KEY (pair, minute)
);

create table receipts (
  facts_hash bytea not null,
  id text not null,
  issued_at timestamp(3) with time zone not null,
  jws text not null,
  number integer not null,
  payment_id text not null,
  CHECK ((length(facts_hash) = 32)),
  CHECK ((number >= 1)),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (id),
  UNIQUE (payment_id, number)
);

create table refunds (
  account_id text not null,
  amount_minor bigint not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  created_at timestamp(3) with time zone not null,
  currency text not null,
  due_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  failure_reason text,
  id text not null,
  link jsonb,
  link_hash bytea,
  livemode boolean not null,
  looks integer not null default 0,
  mismatch jsonb,
  network text not null,
  other_hashes text[] not null default '{}'::text[],
  payment_id text not null,
  reason text,
  sent_at timestamp(3) with time zone,
  sequence integer not null,
  status text not null,
  to_address text,
  transfer_index integer,
  tx_hash text,
  verified boolean not null default false,
  wallet jsonb,
  CHECK (((link IS NULL) = (link_hash IS NULL))),
  CHECK (((status <> 'requested'::text) OR ((link IS NOT NULL) AND (to_address IS NULL)))),
  CHECK (((status <> 'sent'::text) OR ((due_at IS NOT NULL) AND (tx_hash IS NOT NULL)))),
  CHECK (((status = ANY (ARRAY['sent'::text, 'requested'::text])) OR (due_at IS NULL))),
  CHECK ((amount_minor >= 0)),
  CHECK ((amount_units > (0)::numeric)),
  CHECK ((cardinality(other_hashes) <= 4)),
  CHECK ((length(link_hash) = 32)),
  CHECK ((sequence >= 1)),
  CHECK ((status = ANY (ARRAY['requested'::text, 'planned'::text, 'sent'::text, 'final'::text, 'failed'::text, 'cancelled'::text]))),
  CHECK ((verified = (transfer_index IS NOT NULL))),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (id)
);
CREATE INDEX refunds_answered ON refunds USING btree (account_id, livemode, created_at DESC, id DESC) WHERE ((status = ANY (ARRAY['requested'::text, 'planned'::text])) AND ((link ->> 'answered_at'::text) IS NOT NULL));
CREATE INDEX refunds_by_account ON refunds USING btree (account_id, livemode, created_at DESC, id DESC);
CREATE UNIQUE INDEX refunds_by_link ON refunds USING btree (link_hash) WHERE (link_hash IS NOT NULL);
CREATE INDEX refunds_by_payment ON refunds USING btree (payment_id, created_at DESC, id DESC);
CREATE INDEX refunds_by_status ON refunds USING btree (account_id, livemode, status, created_at DESC, id DESC);
CREATE INDEX refunds_due ON refunds USING btree (account_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX refunds_uncounted ON refunds USING btree (account_id, livemode, sent_at DESC, id DESC) WHERE (((status = 'cancelled'::text) AND (tx_hash IS NOT NULL) AND (mismatch IS NULL)) OR ((status = 'final'::text) AND (other_hashes <> '{}'::text[])));

create table request_log (
  account_id text not null,
  at timestamp(3) with time zone not null,
  code text,
  duration_ms integer not null,
  id text not null,
  idempotency_key text,
  key_id text,
  livemode boolean not null,
  method text not null,
  path text not null,
  status integer not null,
  PRIMARY KEY (id)
);
CREATE INDEX request_log_by_account ON request_log USING btree (account_id, livemode, at DESC, id DESC);
CREATE INDEX request_log_by_time ON request_log USING btree (at);

create table reserved_amounts (
  account_id text,
  address text not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  client bytea,
  client_range bytea,
  livemode boolean not null,
  network text not null,
  payment_id text not null,
  payment_link_id text,
  purpose text not null,
  reserved_until timestamp(3) with time zone,
  taken_at timestamp(3) with time zone not null,
  wallet_seen_at timestamp(3) with time zone,
  CHECK ((amount_units > (0)::numeric)),
  CHECK ((purpose = ANY (ARRAY['target'::text, 'remainder'::text, 'route_output'::text]))),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (livemode, network, address, asset, amount_units)
);
CREATE INDEX reserved_amounts_by_account ON reserved_amounts USING btree (livemode, account_id, reserved_until) WHERE (account_id IS NOT NULL);
CREATE INDEX reserved_amounts_by_client ON reserved_amounts USING btree (livemode, client, reserved_until) WHERE (client IS NOT NULL);
CREATE INDEX reserved_amounts_by_client_range ON reserved_amounts USING btree (livemode, client_range, reserved_until) WHERE (client_range IS NOT NULL);
CREATE INDEX reserved_amounts_by_end ON reserved_amounts USING btree (livemode, reserved_until);
CREATE INDEX reserved_amounts_by_link ON reserved_amounts USING btree (payment_link_id, reserved_until) WHERE (payment_link_id IS NOT NULL);
CREATE INDEX reserved_amounts_by_payment ON reserved_amounts USING btree (payment_id);

create table reverted_transactions (
  block_number bigint,
  confirmed boolean not null default true,
  network text not null,
  payment_id text not null,
  reported_by text[] not null default '{}'::text[],
  seen_at timestamp(3) with time zone not null,
  tx_hash text not null,
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (payment_id, network, tx_hash)
);

create table route_orders (
  account_id text not null,
  converting_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  deadline timestamp(3) with time zone not null,
  deposit_address text not null,
  deposited_at timestamp(3) with time zone,
  deposited_units numeric(78,0),
  done_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  hinted_at timestamp(3) with time zone,
  id text not null,
  input_units numeric(78,0) not null,
  livemode boolean not null,
  minimum_input_units numeric(78,0) not null,
  output_units numeric(78,0) not null,
  payment_id text not null,
  payout_tx_hashes text[] not null default '{}'::text[],
  polled_at timestamp(3) with time zone,
  premium_bps integer,
  provider text not null,
  raw jsonb not null,
  reason text,
  reference text not null,
  refund_address text not null,
  required_units numeric(78,0) not null,
  service_fee_minor bigint not null,
  state text not null,
  target_id text not null,
  CHECK (((required_units > (0)::numeric) AND (required_units <= output_units))),
  CHECK ((input_units > (0)::numeric)),
  CHECK ((minimum_input_units > (0)::numeric)),
  CHECK ((output_units > (0)::numeric)),
  CHECK ((service_fee_minor >= 0)),
  CHECK ((state = ANY (ARRAY['waiting'::text, 'seen'::text, 'short'::text, 'converting'::text, 'delivering'::text, 'done'::text, 'returned'::text, 'stuck'::text, 'dead'::text]))),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  FOREIGN KEY (target_id) REFERENCES payment_targets(id),
  PRIMARY KEY (id),
  UNIQUE (target_id)
);
CREATE INDEX route_orders_by_payment ON route_orders USING btree (payment_id, created_at);
CREATE UNIQUE INDEX route_orders_deposit_address ON route_orders USING btree (lower(deposit_address)) WHERE livemode;
CREATE INDEX route_orders_due ON route_orders USING btree (provider, account_id, due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX route_orders_reference ON route_orders USING btree (provider, lower(reference)) WHERE livemode;

create table sandbox_blocks (
  account_id text not null,
  network text not null,
  number bigint not null,
  recorded_at timestamp(3) with time zone not null,
  time timestamp(3) with time zone not null,
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (account_id, network, number)
);
CREATE INDEX sandbox_blocks_by_recording ON sandbox_blocks USING btree (recorded_at);

create table sandbox_orders (
  deposit_address text not null,
  deposited_at timestamp(3) with time zone,
  deposited_units numeric(78,0),
  output_units numeric(78,0),
  payout_tx_hashes text[] not null default '{}'::text[],
  reason text,
  reference text not null,
  request jsonb not null,
  state text not null,
  CHECK ((state = ANY (ARRAY['waiting'::text, 'seen'::text, 'short'::text, 'converting'::text, 'delivering'::text, 'done'::text, 'returned'::text, 'stuck'::text, 'dead'::text]))),
  PRIMARY KEY (reference)
);

create table sandbox_transfers (
  account_id text not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  block_number bigint not null,
  carried bytea[] not null default '{}'::bytea[],
  from_address text not null,
  index integer not null,
  network text not null,
  reverted boolean not null default false,
  to_address text not null,
  tx_hash text not null,
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (network, tx_hash, index)
);
CREATE INDEX sandbox_transfers_by_block ON sandbox_transfers USING btree (account_id, network, block_number);

create table schema_migrations (
  applied_at timestamp(3) with time zone not null,
  is_contract boolean not null,
  name text not null,
  sha256 text not null,
  PRIMARY KEY (name)
);

create table set_aside_transactions (
  at timestamp(3) with time zone not null,
  block_number bigint not null,
  error text not null,
  network text not null,
  to_addresses text[] not null,
  tx_hash text not null,
  PRIMARY KEY (network, tx_hash)
);
CREATE INDEX set_aside_transactions_by_addresses ON set_aside_transactions USING gin (to_addresses);
CREATE INDEX set_aside_transactions_by_time ON set_aside_transactions USING btree (at);

create table signed_claims (
  attempts smallint not null default 0,
  created_at timestamp(3) with time zone not null,
  due_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  id bigint not null generated always as identity,
  livemode boolean not null,
  network text not null,
  payment_id text not null,
  signature text,
  signature_sha256 text not null default ''::text,
  signer text not null,
  tx_hash text not null,
  verified_at timestamp(3) with time zone,
  CHECK ((length(signature) <= 4200)),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (id),
  UNIQUE (payment_id, network, tx_hash, signer, signature_sha256)
);
CREATE INDEX signed_claims_by_signer ON signed_claims USING btree (livemode, network, tx_hash, signer);
CREATE INDEX signed_claims_due ON signed_claims USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX signed_claims_expired ON signed_claims USING btree (expires_at);

create table signing_keys (
  account_id text not null,
  created_at timestamp(3) with time zone not null,
  kid text not null,
  livemode boolean not null,
  private_key bytea,
  public_key bytea not null,
  retired_at timestamp(3) with time zone,
  CHECK (((retired_at IS NULL) = (private_key IS NOT NULL))),
  CHECK ((length(public_key) = 32)),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (kid)
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys USING btree (account_id, livemode) WHERE (retired_at IS NULL);
CREATE INDEX signing_keys_of_account ON signing_keys USING btree (account_id, livemode, created_at);

create table single_provider_locks (
  locked_at timestamp with time zone not null,
  network text not null,
  PRIMARY KEY (network)
);

create table single_provider_settlements (
  network text not null,
  settled_at timestamp with time zone not null,
  transfer_id text not null,
  usd_minor bigint not null,
  CHECK ((usd_minor >= 0)),
  PRIMARY KEY (transfer_id)
);
CREATE INDEX single_provider_settlements_by_network ON single_provider_settlements USING btree (network, settled_at);

create table transaction_hints (
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  payment_id text not null,
  tx_hash text not null,
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  PRIMARY KEY (payment_id, tx_hash)
);
CREATE INDEX transaction_hints_by_creation ON transaction_hints USING btree (created_at);
CREATE INDEX transaction_hints_by_hash ON transaction_hints USING btree (tx_hash, created_at);
CREATE INDEX transaction_hints_expired ON transaction_hints USING btree (expires_at);

create table transfer_challenges (
  address text not null,
  amount_units numeric(78,0) not null,
  asset text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  network text not null,
  payout_wallet_id text not null,
  FOREIGN KEY (payout_wallet_id) REFERENCES payout_wallets(id),
  PRIMARY KEY (payout_wallet_id),
  UNIQUE (network, address, asset, amount_units)
);
CREATE INDEX transfer_challenges_by_expiry ON transfer_challenges USING btree (expires_at);

create table transfers (
  amount_units numeric(78,0) not null,
  asset text not null,
  attempts smallint not null default 0,
  attributed_by text,
  block_hash text not null,
  block_number bigint not null,
  block_time timestamp(3) with time zone not null,
  carried bytea[] not null default '{}'::bytea[],
  confirmed boolean not null default true,
  contested jsonb,
  evidence jsonb not null default '{}'::jsonb,
  final_at timestamp(3) with time zone,
  first_seen_at timestamp(3) with time zone not null,
  from_address text,
  handled_at timestamp(3) with time zone,
  handled_note text,
  id text not null,
  index integer not null,
  livemode boolean not null,
  near_payment_id text,
  network text not null,
  payment_id text,
  queued boolean not null default false,
  reason text,
  released_at timestamp(3) with time zone,
  reported_by text[] not null default '{}'::text[],
  retry_at timestamp(3) with time zone,
  set_aside_at timestamp(3) with time zone,
  status text not null,
  target_id text,
  to_address text not null,
  tx_hash text not null,
  unproven bytea[] not null default '{}'::bytea[],
  CHECK ((amount_units >= (0)::numeric)),
  CHECK ((cardinality(unproven) <= 4)),
  CHECK ((index >= 0)),
  CHECK ((status = ANY (ARRAY['seen'::text, 'final'::text, 'dropped'::text]))),
  FOREIGN KEY (near_payment_id) REFERENCES payments(id),
  FOREIGN KEY (payment_id) REFERENCES payments(id),
  FOREIGN KEY (target_id) REFERENCES payment_targets(id),
  PRIMARY KEY (id),
  UNIQUE (livemode, network, tx_hash, index)
);
CREATE INDEX transfers_by_near_payment ON transfers USING btree (near_payment_id, id) WHERE (near_payment_id IS NOT NULL);
CREATE INDEX transfers_by_payment ON transfers USING btree (payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX transfers_by_recipient ON transfers USING btree (livemode, network, lower(to_address), block_time DESC, id DESC) WHERE (status <> 'dropped'::text);
CREATE INDEX transfers_by_sender ON transfers USING btree (from_address, block_time DESC) WHERE (from_address IS NOT NULL);
CREATE INDEX transfers_contested ON transfers USING btree (network, to_address) WHERE (contested IS NOT NULL);
CREATE INDEX transfers_doubted ON transfers USING btree (network) WHERE (livemode AND (status = 'final'::text) AND (evidence ? 'doubted'::text));
CREATE INDEX transfers_final ON transfers USING btree (network, block_number) WHERE (livemode AND (status = 'final'::text));
CREATE INDEX transfers_final_by_block ON transfers USING btree (network, block_number) WHERE (livemode AND (status = 'seen'::text) AND (payment_id IS NULL));
CREATE INDEX transfers_handled ON transfers USING btree (tx_hash, to_address) WHERE (handled_at IS NOT NULL);
CREATE INDEX transfers_queued ON transfers USING btree (network, to_address, block_number, tx_hash, index) WHERE queued;
CREATE INDEX transfers_set_aside ON transfers USING btree (livemode, to_address) WHERE ((set_aside_at IS NOT NULL) AND (payment_id IS NULL) AND (handled_at IS NULL));
CREATE INDEX transfers_unattributed ON transfers USING btree (livemode, network, lower(to_address), block_time DESC) WHERE (payment_id IS NULL);
CREATE INDEX transfers_unfinal ON transfers USING btree (livemode, network, block_number) WHERE (status = 'seen'::text);
CREATE INDEX transfers_unverified ON transfers USING btree (network, block_number) WHERE (livemode AND (status = 'seen'::text) AND (payment_id IS NOT NULL));
CREATE INDEX transfers_with_references ON transfers USING btree (block_time) WHERE (livemode AND (payment_id IS NULL) AND (handled_at IS NULL) AND (reason = 'no_match'::text) AND (carried <> '{}'::bytea[]));
CREATE INDEX transfers_with_references_left ON transfers USING btree (block_time) WHERE (livemode AND (payment_id IS NULL) AND (handled_at IS NULL) AND (reason = ANY (ARRAY['no_match'::text, 'other_asset'::text, 'wrong_network'::text])) AND (carried <> '{}'::bytea[]));
CREATE INDEX transfers_without_payment ON transfers USING btree (block_time) WHERE (payment_id IS NULL);

create table unseen_blocks (
  asset text not null,
  from_block bigint not null,
  from_time timestamp(3) with time zone not null,
  looked_at timestamp(3) with time zone,
  looked_by text,
  network text not null,
  next_block bigint not null,
  reported_at timestamp(3) with time zone,
  since timestamp(3) with time zone not null,
  to_block bigint not null,
  to_time timestamp(3) with time zone not null,
  tried_at timestamp(3) with time zone,
  why text not null,
  CHECK (((from_block <= to_block) AND ((next_block >= from_block) AND (next_block <= to_block)))),
  CHECK (((looked_by IS NULL) = (looked_at IS NULL))),
  PRIMARY KEY (network, asset, from_block)
);

create table wallet_challenges (
  expires_at timestamp(3) with time zone not null,
  message text not null,
  payout_wallet_id text not null,
  FOREIGN KEY (payout_wallet_id) REFERENCES payout_wallets(id),
  PRIMARY KEY (payout_wallet_id)
);

create table webhook_endpoints (
  account_id text not null,
  asymmetric_signature boolean not null default false,
  collects boolean not null default true,
  counted_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  events text[] not null,
  expiry_mailed_at timestamp(3) with time zone,
  id text not null,
  lane text not null default 'probation'::text,
  livemode boolean not null,
  old_secret bytea,
  old_secret_until timestamp(3) with time zone,
  secret bytea not null,
  status text not null,
  uncollected bigint not null default 0,
  url text not null,
  warned_at timestamp(3) with time zone,
  CHECK ((cardinality(events) > 0)),
  CHECK ((lane = ANY (ARRAY['probation'::text, 'healthy'::text, 'slow'::text]))),
  CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  CHECK ((uncollected >= 0)),
  FOREIGN KEY (account_id) REFERENCES accounts(id),
  PRIMARY KEY (id)
);
CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints USING btree (account_id, livemode, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX webhook_endpoints_of_account ON webhook_endpoints USING btree (account_id, livemode);
