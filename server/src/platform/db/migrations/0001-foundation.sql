-- Why: all tables, by subject, with the constraints that hold the money rules. Every instant is a parameter of the
-- statement that writes it: no default reads the clock. Names of networks and assets are checked by the contract.

-- Accounts ----------------------------------------------------------------------------------------------------------

-- Why: a merchant, who logs in with an email address or a wallet. The first account is the operator's.
create table accounts (
  id                     text primary key,
  email                  text unique,
  login_network          text,
  login_address          text,
  name                   text,
  logo_url               text,
  brand                  jsonb not null default '{}',
  support_email          text,
  support_url            text,
  -- What the law wants on a receipt: the company's name, address and tax number.
  receipt_details        text,
  frame_parents          text[] not null default '{}',
  tolerance_bps          integer check (tolerance_bps between 0 and 500),
  wallets_by_login_only  boolean not null default false,
  -- Whether wallets that live keys add wait for the owner.
  confirm_key_wallets    boolean not null default false,
  -- The account's test clock runs this far ahead of real time, at most 3,660 days; it only ever grows.
  test_clock_offset_ms   bigint not null default 0 check (test_clock_offset_ms between 0 and 316224000000),
  created_at             timestamptz(3) not null,
  -- What a session is like where its request says nothing: {currency, expiresIn, acceptedAssets}; null and absent
  -- mean the service's defaults.
  session_defaults       jsonb not null default '{}',
  is_operator            boolean not null default false,
  paymaster_host         text,
  paymaster_url          bytea,
  -- The kinds that the account asks for: paid, needs_decision, unattributed, receipt.
  notices                text[] not null default '{}',
  unique (login_network, login_address),
  check (email is not null or login_address is not null)
);
-- Accounts whose test clock runs ahead: few, and read every second.
create index accounts_ahead on accounts (id) where test_clock_offset_ms > 0;

-- Why: pictures that merchants uploaded, which checkouts show to strangers. The one that `logo_url` names, and one that
-- is not saved yet.
create table logos (
  account_id  text not null references accounts,
  -- SHA-256 of the bytes, in hexadecimal.
  hash        text not null,
  type        text not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
  bytes       bytea not null check (octet_length(bytes) <= 184320),
  created_at  timestamptz(3) not null,
  primary key (account_id, hash)
);
create index logos_by_hash on logos (hash);

-- Why: what a merchant's server authenticates with. Only hashes of secrets are kept.
create table api_keys (
  id                   text primary key,
  account_id           text not null references accounts,
  livemode             boolean not null,
  label                text,
  secret_hash          bytea not null unique,
  last4                text not null,
  created_at           timestamptz(3) not null,
  last_used_at         timestamptz(3),
  revoked_at           timestamptz(3),
  scopes               text[] check (cardinality(scopes) >= 1),
  previous_hash        bytea,
  previous_expires_at  timestamptz(3) check ((previous_hash is null) = (previous_expires_at is null))
);
create index api_keys_by_account on api_keys (account_id, livemode, created_at desc, id desc);
create index api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;

-- Why: sign-up can be closed: an invitation opens one account.
create table invitations (
  id          text primary key,
  -- `setup` opens the first account in production; the operator creates the others.
  kind        text not null check (kind in ('setup', 'member')),
  token_hash  bytea not null unique,
  account_id  text references accounts,
  email       text,
  label       text,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  used_at     timestamptz(3),
  revoked_at  timestamptz(3),
  check ((kind = 'setup') = (account_id is null))
);
create index invitations_by_account on invitations (account_id, created_at desc, id desc);
create index invitations_by_expiry on invitations (expires_at);

-- Why: a login by mail: a code, and a link that no number of tries uses up.
create table email_codes (
  id             text primary key,
  email          text not null,
  code_hash      bytea not null,
  attempts       integer not null default 0 check (attempts <= 50),
  created_at     timestamptz(3) not null,
  expires_at     timestamptz(3) not null,
  consumed_at    timestamptz(3),
  client         text not null,
  -- The invitation that the login was started with.
  invitation_id  text references invitations on delete set null,
  link_hash      bytea,
  -- False for a start that sent nothing. It counts for its client like any other, so that no limit
  -- shows which addresses have an account.
  sent           boolean not null default true,
  -- The /48 of an IPv6 client.
  client_range   text
);
create index email_codes_by_email on email_codes (email, created_at desc);
create index email_codes_by_client on email_codes (client, created_at desc);
create unique index email_codes_by_link on email_codes (link_hash) where link_hash is not null;
create index email_codes_sent on email_codes (created_at desc) where sent;
create index email_codes_by_client_range on email_codes (client_range, created_at desc)
  where client_range is not null;

-- Why: tries of a code count per client, so that a stranger cannot use up the tries of its owner.
create table email_code_tries (
  code_id  text not null references email_codes on delete cascade,
  client   text not null,
  -- Up to 5 of a client, up to 20 of all clients of an IPv6 /48.
  tries    integer not null check (tries between 1 and 20),
  primary key (code_id, client)
);

-- Why: the text that a wallet signs to log in.
create table login_nonces (
  id          text primary key,
  network     text not null,
  address     text not null,
  message     text not null,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);
create index login_nonces_by_address on login_nonces (network, address, created_at desc);

-- Why: a login that lasts: the cookie of the dashboard.
create table login_tokens (
  token_hash    bytea primary key,
  account_id    text not null references accounts,
  method        text not null check (method in ('email', 'wallet', 'link')),
  created_at    timestamptz(3) not null,
  last_used_at  timestamptz(3) not null,
  expires_at    timestamptz(3) not null
);
create index login_tokens_by_account on login_tokens (account_id);

-- Why: a link that logs into an account once, made on the server's own machine only.
create table login_links (
  token_hash  bytea primary key,
  account_id  text not null references accounts,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);

-- Wallets -----------------------------------------------------------------------------------------------------------

-- Why: where a merchant is paid: an address with its network and asset.
create table payout_wallets (
  id             text primary key,
  account_id     text not null references accounts,
  livemode       boolean not null,
  asset          text not null,
  network        text not null,
  address        text not null,
  label          text,
  is_default     boolean not null,
  archived_at    timestamptz(3),
  created_by     text not null check (created_by in ('key', 'login')),
  created_at     timestamptz(3) not null,
  -- Until when a wallet's network is watched for its sessions, a day at a time too long at most: creating a session
  -- moves it on about once a day, and the watcher's look at it does not grow with the sessions.
  watched_until  timestamptz(3),
  -- Code was found at the address when it was saved, or no provider could be asked.
  needs_proof    boolean not null default false,
  -- Null if no mail was sent.
  announced_at   timestamptz(3),
  -- When the address is looked up on its network; null if it was.
  look_up_at     timestamptz(3),
  -- Why money sent to the address is lost; null if it is not.
  unfit          text,
  -- Added by a live key, and not confirmed by the owner yet: nothing settles to it.
  unconfirmed    boolean not null default false,
  unique (id, account_id, livemode),
  check (not (is_default and archived_at is not null))
);
create unique index payout_wallets_one_default on payout_wallets (account_id, livemode) where is_default;
create index payout_wallets_by_account on payout_wallets (account_id, livemode, created_at desc, id desc);
create index payout_wallets_by_address on payout_wallets (livemode, network, address);
create index payout_wallets_watched on payout_wallets (network, watched_until) include (address)
  where livemode and watched_until is not null;
create index payout_wallets_savers on payout_wallets (livemode, address, created_at, id) where archived_at is null;
-- Few, and searched every minute.
create index payout_wallets_to_look_up on payout_wallets (look_up_at) where look_up_at is not null;

-- Why: the text whose signature proves the address of a payout wallet. A new one replaces the last.
create table wallet_challenges (
  payout_wallet_id  text primary key references payout_wallets,
  message           text not null,
  expires_at        timestamptz(3) not null
);

-- Why: the transfer of an address to itself that would prove it.
create table transfer_challenges (
  payout_wallet_id  text primary key references payout_wallets,
  network           text not null,
  address           text not null,
  asset             text not null,
  amount_units      numeric(78) not null,
  created_at        timestamptz(3) not null,
  expires_at        timestamptz(3) not null,
  unique (network, address, asset, amount_units)
);
create index transfer_challenges_by_expiry on transfer_challenges (expires_at);

-- Why: one account owns an address on a network: the first that proved it. Exact amounts, listing and manual work
-- follow from that.
create table address_owners (
  livemode    boolean not null,
  network     text not null,
  address     text not null,
  account_id  text not null references accounts,
  method      text not null check (method in ('signature', 'contract', 'transfer')),
  proved_at   timestamptz(3) not null,
  primary key (livemode, network, address)
);

-- Why: a second account that proved the same address. The operator decides.
create table address_disputes (
  livemode    boolean not null,
  network     text not null,
  address     text not null,
  account_id  text not null references accounts,
  owner_id    text not null references accounts,
  method      text not null check (method in ('signature', 'contract', 'transfer')),
  at          timestamptz(3) not null,
  primary key (livemode, network, address, account_id)
);

-- Checkouts ---------------------------------------------------------------------------------------------------------

-- Why: a reusable address that opens a checkout session for every customer.
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
  -- For the sessions that the link opens.
  customer          jsonb,
  -- What its page asks for: name, email, note.
  ask_for           text[] not null default '{}',
  -- What the page calls the note, which is required then.
  note_label        text,
  -- The limits of an amount that the customer enters; both null if it is fixed.
  min_amount_minor  bigint check (min_amount_minor >= 1),
  max_amount_minor  bigint check (max_amount_minor between min_amount_minor and 99999999999),
  -- From then on, and after this many paid payments, it opens no session.
  ends_at           timestamptz(3),
  max_payments      integer check (max_payments >= 1),
  check ((min_amount_minor is null) = (max_amount_minor is null)),
  foreign key (payout_wallet_id, account_id, livemode) references payout_wallets (id, account_id, livemode)
);
create index payment_links_by_account on payment_links (account_id, livemode, created_at desc, id desc);

-- Why: what a merchant asked for. It never changes after it was created: what becomes of it is the payment's.
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
  -- An object of email, name and reference, each a string or null. Null if the merchant said nothing.
  customer          jsonb,
  -- The session that ended and is tried again in this one. That one may be deleted before this one.
  retry_of          text,
  -- Until when it can be tried again in turn: a day after the first session of the order ended.
  retry_until       timestamptz(3),
  check (expires_at > created_at),
  foreign key (payout_wallet_id, account_id, livemode) references payout_wallets (id, account_id, livemode)
);
-- The tag carries only 16 bytes, so those must be unique as well.
create unique index checkout_sessions_by_tag on checkout_sessions (substring(reference from 1 for 16));
-- A session is tried again in one other session at most, however often a customer asks.
create unique index checkout_sessions_by_retry on checkout_sessions (retry_of) where retry_of is not null;
-- Which wallets have open or recent sessions: one look per wallet, however many sessions there are.
create index checkout_sessions_by_wallet on checkout_sessions (payout_wallet_id, expires_at desc);
-- Search: whole or beginning order numbers, and who sent money.
create index checkout_sessions_by_order on checkout_sessions (account_id, livemode, order_id text_pattern_ops)
  where order_id is not null;
create index checkout_sessions_by_customer_reference on checkout_sessions
  (account_id, livemode, (customer ->> 'reference'), created_at desc, payment_id desc)
  where customer ->> 'reference' is not null;
create index checkout_sessions_by_customer_email on checkout_sessions
  (account_id, livemode, (customer ->> 'email'), created_at desc, payment_id desc)
  where customer ->> 'email' is not null;
create index checkout_sessions_by_link on checkout_sessions (payment_link_id, created_at desc, payment_id desc)
  where payment_link_id is not null;
create index checkout_sessions_long_by_wallet on checkout_sessions
  (payout_wallet_id, ceil(log(2, extract(epoch from (expires_at - created_at)) / 86400)), expires_at)
  where expires_at - created_at > interval '1 day';

-- Why: the life of a session's payment. It changes only by settlement/outcome/lifecycle.ts.
create table payments (
  id                     text primary key,
  account_id             text not null,
  livemode               boolean not null,
  session_id             text not null unique references checkout_sessions,
  status                 text not null
    check (status in ('created', 'pending', 'routing', 'settling', 'paid', 'failed', 'expired', 'refund_required', 'refunded')),
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
  -- {ids, claimed_units, returned_units, returned_minor}: what its refunds add up to; null without any.
  refunds                jsonb,
  -- When the customer began to pay; a payment that was never begun is left out of lists.
  started_at             timestamptz(3),
  -- When a program was first given an address and an amount of a payment that was not begun.
  offered_at             timestamptz(3),
  paid_at                timestamptz(3),
  ended_at               timestamptz(3),
  created_at             timestamptz(3) not null,
  expires_at             timestamptz(3) not null,
  -- When it expires by real time, where the account's test clock ran ahead; otherwise null. Pruning goes by it.
  real_expires_at        timestamptz(3),
  -- {type, tx_hash, detected_at} of a final transfer that disappeared from the network; null almost always.
  settlement_alert       jsonb,
  -- False until the events of the payment are recorded: a payment that was only opened has none.
  is_announced           boolean not null default true,
  -- What the status does not say: a surplus that was not returned, or a part that was.
  balance                text check (balance in ('overpaid', 'partly_refunded')),
  -- The network of its money, where a person assigned a transfer of another one than the session's; null almost always.
  arrived_network        text,
  check (route = 'routed' or service_fee_minor = 0)
);
-- Led by all that lists filter by, so that no page reads past payments of another kind.
create index payments_started on payments (account_id, livemode, route, created_at desc, id desc)
  where started_at is not null;
create index payments_by_status on payments (account_id, livemode, status, route, created_at desc, id desc);
create index payments_by_balance on payments (account_id, livemode, balance, route, created_at desc, id desc)
  where balance is not null;
create index payments_due_to_expire on payments (livemode, expires_at) where status in ('created', 'pending');
create index payments_by_paid on payments (account_id, livemode, paid_at) where paid_at is not null;
create index payments_by_start on payments (account_id, livemode, started_at) where started_at is not null;
-- Few, and searched every two seconds: the open payments whose address and amount were given to a payer.
create index payments_payable on payments (route, pay_network)
  where livemode and status in ('created', 'pending', 'routing', 'settling') and (started_at is not null or offered_at is not null);
create index payments_alerted on payments (account_id, livemode) where settlement_alert is not null;
-- Checkouts that ended without money: those that no customer started, and the others.
create index payments_unstarted on payments (coalesce(real_expires_at, expires_at), id) where status = 'expired' and started_at is null;
create index payments_unpaid on payments (coalesce(real_expires_at, expires_at), id) where status = 'expired' and started_at is not null;

-- Why: each state that a payment has been in, with the evidence for it. The key makes a second event of one number
-- impossible.
create table payment_states (
  payment_id  text not null references payments,
  sequence    integer not null,
  status      text not null,
  evidence    jsonb not null default '{}',
  at          timestamptz(3) not null,
  primary key (payment_id, sequence)
);

-- Why: what a customer was asked to pay: asset, address, exact amount. Choosing again adds a target and never changes
-- one.
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
  -- The price that it was computed at, with its sources; null where the price is one to one.
  rate            jsonb,
  locked_until    timestamptz(3) not null,
  refund_address  text,
  sender          text,
  created_at      timestamptz(3) not null,
  -- Whether a transfer to the address may carry the tag: a contract's wallet may refuse ether that comes with data.
  takes_tag       boolean not null default false
);
create index payment_targets_by_payment on payment_targets (payment_id, created_at);
create index payment_targets_by_address on payment_targets (livemode, network, lower(address));
-- Where several transfers must be judged against the payments that asked for their sender.
create index payment_targets_by_sender on payment_targets (livemode, network, sender) where sender is not null;
-- The newest choices of one sender at one wallet, however many there were before.
create index payment_targets_of_sender on payment_targets (livemode, network, sender, address, asset, created_at desc)
  where sender is not null;

-- Why: exact amounts that identify a payment: one open payment per network, address, asset and amount, of whichever
-- account. A row counts for the client, the payment link and the unproved account that reserved it until money comes
-- for it.
create table reserved_amounts (
  livemode         boolean not null,
  network          text not null,
  address          text not null,
  asset            text not null,
  amount_units     numeric(78,0) not null check (amount_units > 0),
  payment_id       text not null references payments,
  purpose          text not null check (purpose in ('target', 'remainder', 'route_output')),
  taken_at         timestamptz(3) not null,
  -- Null while the payment is open; 48 hours after its end once it has ended.
  reserved_until   timestamptz(3),
  -- A keyed hash of the client's address; no one can read the address from it.
  client           bytea,
  payment_link_id  text,
  -- Only where the account has not proved the address.
  account_id       text,
  wallet_seen_at   timestamptz(3),
  -- The same of the /48 of an IPv6 client, which may be one customer's.
  client_range     bytea,
  primary key (livemode, network, address, asset, amount_units)
);
create index reserved_amounts_by_payment on reserved_amounts (payment_id);
create index reserved_amounts_by_client on reserved_amounts
  (livemode, client, reserved_until) where client is not null;
create index reserved_amounts_by_link on reserved_amounts (payment_link_id, reserved_until)
  where payment_link_id is not null;
create index reserved_amounts_by_account on reserved_amounts (livemode, account_id, reserved_until)
  where account_id is not null;
create index reserved_amounts_by_end on reserved_amounts (livemode, reserved_until);
create index reserved_amounts_by_client_range on reserved_amounts (livemode, client_range, reserved_until)
  where client_range is not null;

-- Why: what a payment would cost in an asset, and until when.
create table quotes (
  id          text primary key,
  account_id  text not null,
  livemode    boolean not null,
  body        jsonb not null,
  -- Real time; the body has that of the account.
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);
create index quotes_by_expiry on quotes (expires_at);

-- Why: the prices that amounts were computed and judged with, by minute.
create table rate_samples (
  pair     text not null,
  minute   timestamptz(3) not null,
  rate     numeric not null check (rate > 0),
  sources  jsonb not null,
  primary key (pair, minute)
);

-- Why: a customer who has paid, written with the payment that becomes paid, so that no page adds up all payments. The
-- reference identifies them, or the address without one.
create table customers (
  -- Follows from the account, the mode and what identifies the customer.
  id            text primary key,
  account_id    text not null references accounts,
  livemode      boolean not null,
  email         text,
  name          text,
  reference     text,
  -- In lower case, for searches: the database's own `lower` depends on its locale.
  folded_name   text,
  -- How many of their payments are paid, and what these brought less refunds, in minor units by currency.
  payments      integer not null,
  totals        jsonb not null,
  last_paid_at  timestamptz(3) not null,
  check (email is not null or reference is not null)
);
create index customers_by_payment on customers (account_id, livemode, last_paid_at desc, id desc);
-- For searches by how they begin.
create index customers_by_reference on customers (account_id, livemode, reference text_pattern_ops)
  where reference is not null;
create index customers_by_email on customers (account_id, livemode, email text_pattern_ops) where email is not null;
create index customers_by_name on customers (account_id, livemode, folded_name text_pattern_ops)
  where folded_name is not null;

-- Why: money that goes back to a customer from the merchant's own wallet. The payment's row, which is locked for every
-- change here, has their sum.
create table refunds (
  id              text primary key,
  account_id      text not null,
  livemode        boolean not null,
  payment_id      text not null references payments,
  status          text not null check (status in ('requested', 'planned', 'sent', 'final', 'failed', 'cancelled')),
  -- How many events the refund has had.
  sequence        integer not null check (sequence >= 1),
  amount_minor    bigint not null check (amount_minor >= 0),
  currency        text not null,
  amount_units    numeric(78,0) not null check (amount_units > 0),
  asset           text not null,
  network         text not null,
  -- Null where a refund was only recorded.
  to_address      text,
  reason          text,
  tx_hash         text,
  -- Other transactions that were named for it and that may have sent it as well.
  other_hashes    text[] not null default '{}' check (cardinality(other_hashes) <= 4),
  -- The transfer of the transaction that was verified.
  transfer_index  integer,
  verified        boolean not null default false check (verified = (transfer_index is not null)),
  -- {asset, amount, to} of what the transaction moves instead.
  mismatch        jsonb,
  failure_reason  text,
  sent_at         timestamptz(3),
  -- When it became final, failed or cancelled.
  ended_at        timestamptz(3),
  -- When the chain is asked next, or when the link expires.
  due_at          timestamptz(3),
  looks           integer not null default 0,
  created_at      timestamptz(3) not null,
  -- SHA-256 of the token by which the customer names the address.
  link_hash       bytea check (length(link_hash) = 32),
  -- {expires_at, email, locale, address, answered_at, proved}: what the link asked, and what the customer answered.
  link            jsonb check ((link is null) = (link_hash is null)),
  -- {holder, address, until} of the wallet that was asked for it last.
  wallet          jsonb,
  check (status in ('sent', 'requested') or due_at is null),
  check (status <> 'sent' or (due_at is not null and tx_hash is not null)),
  check (status <> 'requested' or (link is not null and to_address is null))
);
create unique index refunds_by_link on refunds (link_hash) where link_hash is not null;
create index refunds_by_account on refunds (account_id, livemode, created_at desc, id desc);
create index refunds_by_status on refunds (account_id, livemode, status, created_at desc, id desc);
create index refunds_by_payment on refunds (payment_id, created_at desc, id desc);
create index refunds_due on refunds (account_id, due_at, id) where due_at is not null;
-- What Home asks for: those that an address was named for, and those that may have been sent twice.
create index refunds_answered on refunds (account_id, livemode, created_at desc, id desc)
  where status in ('requested', 'planned') and link ->> 'answered_at' is not null;
create index refunds_uncounted on refunds (account_id, livemode, sent_at desc, id desc)
  where status = 'cancelled' and tx_hash is not null and mismatch is null or status = 'final' and other_hashes <> '{}';

-- Why: what merchants send to others from their own wallets. A payout is a record: no code here can send it.
create table payouts (
  id              text primary key,
  account_id      text not null,
  livemode        boolean not null,
  status          text not null check (status in ('planned', 'sent', 'final', 'failed', 'cancelled')),
  amount_units    numeric(78,0) not null check (amount_units > 0),
  asset           text not null,
  network         text not null,
  to_address      text not null,
  note            text,
  -- The import that it came with, by a name that the browser made up, and its line there: a repeated import adds none.
  import_name     text not null,
  line            integer not null,
  tx_hash         text,
  -- Other transactions that were named for it and that may have sent it as well.
  other_hashes    text[] not null default '{}' check (cardinality(other_hashes) <= 4),
  -- The transfer of the transaction that was verified.
  transfer_index  integer,
  verified        boolean not null default false check (verified = (transfer_index is not null)),
  -- {asset, amount_units, to} of what the transaction moves instead.
  mismatch        jsonb,
  failure_reason  text,
  sent_at         timestamptz(3),
  -- When the chain is asked next, or when it ends if it was not sent.
  due_at          timestamptz(3),
  looks           integer not null default 0,
  created_at      timestamptz(3) not null,
  -- {holder, address, until} of the wallet that was asked for it last.
  wallet          jsonb,
  unique (account_id, livemode, import_name, line),
  check ((status in ('planned', 'sent')) = (due_at is not null)),
  check (status <> 'sent' or tx_hash is not null)
);
create index payouts_by_account on payouts (account_id, livemode, created_at desc, id desc);
create index payouts_by_status on payouts (account_id, livemode, status, created_at desc, id desc);
create index payouts_due on payouts (account_id, due_at, id) where due_at is not null;
-- What Home asks for: those that differ, and those that may have been sent twice.
create index payouts_doubtful on payouts (account_id, livemode, sent_at desc, id desc)
  where status = 'sent' and mismatch is not null or status = 'final' and other_hashes <> '{}';
-- Those that nothing was sent for, as in test mode, to be deleted by age.
create index payouts_unsent on payouts (created_at) where not livemode or status = 'cancelled' and tx_hash is null;

-- Why: a transfer returns one refund or makes one payout of an account, whichever is verified first. What another account
-- says of the same transfer takes nothing from this one.
create table outgoing_transfers (
  account_id  text not null,
  livemode    boolean not null,
  network     text not null,
  tx_hash     text not null,
  index       integer not null,
  -- The refund or the payout.
  used_by     text not null,
  primary key (account_id, livemode, network, tx_hash, index)
);

-- Why: each signed receipt is kept, so that a newer one can name the one that it replaces.
create table receipts (
  id          text primary key,
  payment_id  text not null references payments,
  number      integer not null check (number >= 1),
  -- SHA-256 of what it says, without its own name and time: the same facts are signed once.
  facts_hash  bytea not null check (length(facts_hash) = 32),
  jws         text not null,
  issued_at   timestamptz(3) not null,
  unique (payment_id, number)
);

-- Transfers ---------------------------------------------------------------------------------------------------------

-- Why: every transfer to a watched payout wallet. The unique key is the rule that one transfer pays at most once.
create table transfers (
  id               text primary key,
  livemode         boolean not null,
  network          text not null,
  tx_hash          text not null,
  -- Its place within the transaction, so that a reorg cannot make two of one.
  index            integer not null check (index >= 0),
  asset            text not null,
  from_address     text,
  to_address       text not null,
  amount_units     numeric(78,0) not null check (amount_units >= 0),
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz(3) not null,
  -- The 16- or 32-byte references that its transaction carries for it.
  carried          bytea[] not null default '{}',
  status           text not null check (status in ('seen', 'final', 'dropped')),
  payment_id       text references payments,
  target_id        text references payment_targets,
  -- Which rule found the payment: reference, amount, sender, claim, hand.
  attributed_by    text,
  reason           text,
  near_payment_id  text references payments,
  handled_at       timestamptz(3),
  handled_note     text,
  evidence         jsonb not null default '{}',
  first_seen_at    timestamptz(3) not null,
  final_at         timestamptz(3),
  queued           boolean not null default false,
  attempts         smallint not null default 0,
  set_aside_at     timestamptz(3),
  unproven         bytea[] not null default '{}' check (cardinality(unproven) <= 4),
  -- When the owner of the address took the transfer back from another account's payment.
  released_at      timestamptz(3),
  -- When a transfer whose attribution failed is tried again.
  retry_at         timestamptz(3),
  -- Whether more than one provider reported it, or the quorum confirmed it; one provider's word is a claim.
  confirmed        boolean not null default true,
  -- The providers that reported it so.
  reported_by      text[] not null default '{}',
  -- What others reported instead, until the quorum has decided; null almost always.
  contested        jsonb,
  unique (livemode, network, tx_hash, index)
);
create index transfers_by_payment on transfers (payment_id) where payment_id is not null;
create index transfers_unfinal on transfers (livemode, network, block_number) where status = 'seen';
create index transfers_unattributed on transfers (livemode, network, lower(to_address), block_time desc)
  where payment_id is null;
-- What was final above a block, after a reorg that reached too deep.
create index transfers_final on transfers (network, block_number) where livemode and status = 'final';
create index transfers_doubted on transfers (network) where livemode and status = 'final' and evidence ? 'doubted';
-- All that came to a wallet, page by page; and what one sender sent, newest first.
create index transfers_by_recipient on transfers (livemode, network, lower(to_address), block_time desc, id desc)
  where status <> 'dropped';
create index transfers_by_sender on transfers (from_address, block_time desc) where from_address is not null;
-- A payment's own timeline: what nearly met it, the first of which its page shows, and the deliveries of its events,
-- those to deleted endpoints too.
create index transfers_by_near_payment on transfers (near_payment_id, id) where near_payment_id is not null;
-- Of a transaction that a customer named: anyone can send one with thousands of transfers.
create index transfers_handled on transfers (tx_hash, to_address) where handled_at is not null;
create index transfers_queued on transfers (network, to_address, block_number, tx_hash, index) where queued;
create index transfers_unverified on transfers (network, block_number)
  where livemode and status = 'seen' and payment_id is not null;
-- Money that no payment waits for becomes final block by block.
create index transfers_final_by_block on transfers (network, block_number)
  where livemode and status = 'seen' and payment_id is null;
create index transfers_set_aside on transfers (livemode, to_address)
  where set_aside_at is not null and payment_id is null and handled_at is null;
create index transfers_without_payment on transfers (block_time) where payment_id is null;
create index transfers_with_references on transfers (block_time)
  where livemode and payment_id is null and handled_at is null and reason = 'no_match' and carried <> '{}';
create index transfers_with_references_left on transfers (block_time)
  where livemode and payment_id is null and handled_at is null and reason in ('no_match', 'other_asset', 'wrong_network')
    and carried <> '{}';
-- Decided in every turn of verification; they hold the expiry of payments to their address.
create index transfers_contested on transfers (network, to_address) where contested is not null;

-- Why: a hint with the signature of the account that the transaction debited, verified when it arrives and stored
-- under its signer.
create table signed_claims (
  id                bigint generated always as identity primary key,
  payment_id        text not null references payments,
  livemode          boolean not null,
  network           text not null,
  tx_hash           text not null,
  -- Canonical address. Empty while a Solana signature came without one: the transfer names it.
  signer            text not null,
  -- Kept only while it must still be verified; null afterwards.
  signature         text check (length(signature) <= 4200),
  -- Empty once verified, so that one signer has one verified claim; otherwise the signature's, so that none hides
  -- another.
  signature_sha256  text not null default '',
  verified_at       timestamptz(3),
  attempts          smallint not null default 0,
  -- When to look for its transfer again; null once it was compared with it.
  due_at            timestamptz(3),
  created_at        timestamptz(3) not null,
  expires_at        timestamptz(3) not null,
  unique (payment_id, network, tx_hash, signer, signature_sha256)
);
create index signed_claims_by_signer on signed_claims (livemode, network, tx_hash, signer);
create index signed_claims_due on signed_claims (due_at) where due_at is not null;
create index signed_claims_expired on signed_claims (expires_at);

-- Why: the transactions that customers named, to limit how many different ones a checkout has looked up, and to tell
-- merchants who named one that no payment has.
create table transaction_hints (
  payment_id  text not null references payments,
  tx_hash     text not null,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  primary key (payment_id, tx_hash)
);
create index transaction_hints_by_creation on transaction_hints (created_at);
create index transaction_hints_expired on transaction_hints (expires_at);
create index transaction_hints_by_hash on transaction_hints (tx_hash, created_at);

-- Why: transactions that were meant for a payment and failed on the network.
create table reverted_transactions (
  payment_id    text not null references payments,
  network       text not null,
  tx_hash       text not null,
  seen_at       timestamptz(3) not null,
  -- Up to which block was read when the failure was seen; null if a hint named the transaction.
  block_number  bigint,
  -- The providers that reported the failure. It counts once a second one did, or the only configured one.
  reported_by   text[] not null default '{}',
  confirmed     boolean not null default true,
  primary key (payment_id, network, tx_hash)
);

-- Why: transactions of which not even the facts could be stored. The dashboard lists one for the owners of all
-- wallets that it pays.
create table set_aside_transactions (
  network       text not null,
  tx_hash       text not null,
  to_addresses  text[] not null,
  block_number  bigint not null,
  error         text not null,
  at            timestamptz(3) not null,
  primary key (network, tx_hash)
);
create index set_aside_transactions_by_addresses on set_aside_transactions using gin (to_addresses);
create index set_aside_transactions_by_time on set_aside_transactions (at);

-- Why: what came to an address, by the hour: how much was listed, and how much was only counted. Rows are kept for
-- two days.
create table address_activity (
  network          text not null,
  address          text not null,
  hour             timestamptz(3) not null,
  stored           integer not null default 0,
  -- Transfers that matched no payment, past the rate that an unproved address may have.
  skipped          integer not null default 0,
  -- Transfers worth less than a cent that matched no payment.
  dust             integer not null default 0,
  dust_units       numeric(78,0) not null default 0,
  -- Rows beyond the limits of the address, for transfers that only a hint connects with a payment.
  stored_on_hints  integer not null default 0,
  primary key (network, address, hour)
);
create index address_activity_by_hour on address_activity (hour);

-- Why: how far each network has been read, by which pass, and by which process.
create table chain_cursors (
  network             text not null,
  pass                text not null check (pass in ('first', 'second')),
  block_number        bigint,
  block_hash          text,
  block_time          timestamptz(3),
  holder              text,
  -- Rises with every new holder; a paused one cannot write over its successor.
  token               bigint not null default 0,
  lease_until         timestamptz(3),
  -- When the reader of a network last read up to the newest block, or a part of the way.
  progressed_at       timestamptz(3),
  -- No other provider has answered for a minute: the first pass alone decides what has been read.
  waits_for_provider  boolean not null default false,
  -- No customer can pay and nothing waits, so the network is looked at rarely.
  rests               boolean not null default false,
  primary key (network, pass)
);

-- Why: the blocks that a cursor stood at, linked by hash, to find where a reorg began. A pass goes back only to a
-- block that it stood at itself.
create table chain_blocks (
  network   text not null,
  number    bigint not null,
  hash      text not null,
  time      timestamptz(3) not null,
  pass      text not null check (pass in ('first', 'second')),
  -- The provider that a reading came from; null where that is not known.
  provider  text,
  primary key (network, pass, number)
);

-- Why: blocks in which transfers of an asset could not be looked for, or which one provider alone has looked at, hold the
-- payments that they may have paid, and are read again.
create table unseen_blocks (
  network      text not null,
  asset        text not null,
  from_block   bigint not null,
  to_block     bigint not null,
  from_time    timestamptz(3) not null,
  -- Not before the blocks were recorded here: their own times are what one provider says.
  to_time      timestamptz(3) not null,
  why          text not null,
  since        timestamptz(3) not null,
  -- The only provider that has looked for the transfers, and when. Null if none has.
  looked_by    text,
  looked_at    timestamptz(3),
  -- Where the next attempt begins.
  next_block   bigint not null,
  -- Null before the first attempt.
  tried_at     timestamptz(3),
  -- When the alarm was logged.
  reported_at  timestamptz(3),
  primary key (network, asset, from_block),
  check (from_block <= to_block and next_block between from_block and to_block),
  check ((looked_by is null) = (looked_at is null))
);

-- Why: what each worker found when it asked a network, so that other processes know whether to offer it.
create table network_health (
  network      text not null,
  process      text not null,
  asked_at     timestamptz(3) not null,
  -- When a provider last named the newest block.
  answered_at  timestamptz(3),
  -- By provider: whether its last call succeeded, and what it said otherwise.
  providers    jsonb not null,
  primary key (network, process)
);

-- Why: when each provider answered last, whichever process asked it.
create table provider_answers (
  network      text not null,
  provider     text not null,
  answered_at  timestamptz(3) not null,
  primary key (network, provider)
);

-- Why: what is settled while only one of two providers answers stays within a limit per network and hour, over all
-- processes. Rows older than the window are deleted when the next one is added.
create table single_provider_settlements (
  transfer_id  text primary key,
  network      text not null,
  usd_minor    bigint not null check (usd_minor >= 0),
  settled_at   timestamptz not null
);
create index single_provider_settlements_by_network on single_provider_settlements (network, settled_at);

-- Why: the row that a settling transaction holds while it looks at the window, so that two of them cannot both use
-- what is left.
create table single_provider_locks (
  network    text primary key,
  locked_at  timestamptz not null
);

-- Routes ------------------------------------------------------------------------------------------------------------

-- Why: a conversion ordered from a route provider: the other half of a routed target.
create table route_orders (
  id                   text primary key,
  target_id            text not null unique references payment_targets,
  payment_id           text not null references payments,
  account_id           text not null references accounts,
  livemode             boolean not null,
  provider             text not null,
  reference            text not null,
  deposit_address      text not null,
  refund_address       text not null,
  input_units          numeric(78,0) not null check (input_units > 0),
  minimum_input_units  numeric(78,0) not null check (minimum_input_units > 0),
  -- The exact output asked for, and what would do without its tail; in base units of the receive asset.
  output_units         numeric(78,0) not null check (output_units > 0),
  required_units       numeric(78,0) not null check (required_units > 0 and required_units <= output_units),
  service_fee_minor    bigint not null check (service_fee_minor >= 0),
  deadline             timestamptz(3) not null,
  raw                  jsonb not null,
  state                text not null
    check (state in ('waiting', 'seen', 'short', 'converting', 'delivering', 'done', 'returned', 'stuck', 'dead')),
  reason               text,
  deposited_units      numeric(78,0),
  deposited_at         timestamptz(3),
  payout_tx_hashes     text[] not null default '{}',
  polled_at            timestamptz(3),
  -- Null once nothing more can come of it.
  due_at               timestamptz(3),
  created_at           timestamptz(3) not null,
  -- When a customer named a deposit, and when the provider said that all was done: they decide how often it is asked.
  hinted_at            timestamptz(3),
  done_at              timestamptz(3),
  -- How much more, in basis points, the input is worth than the output by the prices of the order.
  premium_bps          integer,
  -- When the provider began to convert. `deposited_at` may be older: a deposit that is only announced can still be
  -- taken back. Null until it converts.
  converting_at        timestamptz(3)
);
create index route_orders_by_payment on route_orders (payment_id, created_at);
create index route_orders_due on route_orders (provider, account_id, due_at) where due_at is not null;
create unique index route_orders_deposit_address on route_orders (lower(deposit_address)) where livemode;
create unique index route_orders_reference on route_orders (provider, lower(reference)) where livemode;

-- Webhooks ----------------------------------------------------------------------------------------------------------

-- Why: where a merchant's server receives events.
create table webhook_endpoints (
  id                    text primary key,
  account_id            text not null references accounts,
  livemode              boolean not null,
  url                   text not null,
  events                text[] not null check (cardinality(events) > 0),
  secret                bytea not null,
  -- While a rotated secret overlaps, both sign.
  old_secret            bytea,
  old_secret_until      timestamptz(3),
  status                text not null check (status in ('active', 'disabled')),
  disabled_at           timestamptz(3),
  -- When its merchant was last mailed that it fails; null again once it has answered well.
  warned_at             timestamptz(3),
  -- How its worker queues it: not yet proven, answering well, or slow and failing.
  lane                  text not null default 'probation' check (lane in ('probation', 'healthy', 'slow')),
  deleted_at            timestamptz(3),
  created_at            timestamptz(3) not null,
  -- False while it is full: its events get no delivery.
  collects              boolean not null default true,
  uncollected           bigint not null default 0 check (uncollected >= 0),
  -- Events recorded until then are counted already; null once it collects and all that it missed are counted.
  counted_until         timestamptz(3),
  -- When its merchant was last mailed that parked deliveries were too old.
  expiry_mailed_at      timestamptz(3),
  asymmetric_signature  boolean not null default false
);
create index webhook_endpoints_by_account on webhook_endpoints (account_id, livemode, created_at desc, id desc)
  where deleted_at is null;
create index webhook_endpoints_of_account on webhook_endpoints (account_id, livemode);

-- Why: events and attempts are kept for a time and dropped by the month, and their bodies never change. A key over
-- partitions could not keep ids apart, so they are random or follow from what they stand for. These tables are
-- written more than all others, so they have only the indexes that something reads by.
create table events (
  id           text not null,
  account_id   text not null,
  livemode     boolean not null,
  -- What the event is about, such as a payment, and the number of its change.
  object_id    text not null,
  sequence     integer not null,
  type         text not null,
  body         bytea not null,
  created_at   timestamptz(3) not null,
  recorded_at  timestamptz(3) not null
) partition by range (recorded_at);
create table events_default partition of events default;
create index events_by_id on events (id);
create index events_by_account on events (account_id, livemode, recorded_at desc, id desc);
create index events_by_object on events (object_id, sequence);
create index events_by_type on events (account_id, livemode, type, recorded_at desc, id desc);

-- Why: the sending of one event to one endpoint.
create table deliveries (
  id                 text not null,
  account_id         text not null,
  livemode           boolean not null,
  endpoint_id        text not null,
  event_id           text not null,
  event_type         text not null,
  state              text not null check (state in ('pending', 'parked', 'delivered', 'failed', 'cancelled')),
  attempts           integer not null default 0 check (attempts between 0 and 6),
  due_at             timestamptz(3),
  -- While it is sent again by hand: what it goes back to when that fails. Such an attempt is not counted.
  resume_state       text check (resume_state in ('pending', 'parked', 'delivered', 'failed')),
  resume_due_at      timestamptz(3),
  recorded_at        timestamptz(3) not null,
  event_recorded_at  timestamptz(3) not null,
  finished_at        timestamptz(3),
  check ((state = 'pending') = (due_at is not null))
) partition by range (recorded_at);
create table deliveries_default partition of deliveries default;
create index deliveries_by_id on deliveries (id);
create index deliveries_due on deliveries (endpoint_id, due_at) where state = 'pending';
-- Finds what became due since a worker's last look, whatever its endpoint. A new entry is the last one, which is cheap.
create index deliveries_due_at on deliveries (coalesce(due_at, 'infinity')) where state = 'pending';
create index deliveries_failed on deliveries (endpoint_id, finished_at) where state = 'failed';
create index deliveries_parked on deliveries (endpoint_id) where state = 'parked';
create index deliveries_by_endpoint on deliveries (endpoint_id, recorded_at desc, id desc);

-- Why: which process sends what right now. Not logged: after a crash of the database all of it may be leased again,
-- which at worst sends twice what was on its way. A row of its own, because a delivery is costly to write and should
-- change only once.
create unlogged table delivery_leases (
  delivery_id  text primary key,
  endpoint_id  text not null,
  holder       text not null,
  until        timestamptz(3) not null
);
create index delivery_leases_by_endpoint on delivery_leases (endpoint_id);

-- Why: which workers live. What the others have leased is free.
create unlogged table delivery_workers (
  id     text primary key,
  until  timestamptz(3) not null
);

-- Why: what an endpoint answered, and how long it took.
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
create table delivery_attempts_default partition of delivery_attempts default;
create index delivery_attempts_by_delivery on delivery_attempts (delivery_id, recorded_at);

-- Machine payments --------------------------------------------------------------------------------------------------

-- Why: programs pay with a signed credential. It is stored under a unique key before anything leaves the process, so
-- that it is used once, gets the same answer each time, and a crash between storing and sending loses nothing. The
-- nonce of an EIP-3009 authorization names the payment.
create table machine_credentials (
  id            text primary key,
  payment_id    text not null references payments,
  livemode      boolean not null,
  network       text not null,
  protocol      text not null check (protocol in ('mpp', 'x402')),
  kind          text not null check (kind in ('transaction', 'authorization', 'hash', 'signature')),
  -- What can be used once only, hashed: the transaction, or token, payer and nonce; for a hash, which proves
  -- nothing, the payment as well.
  replay_key    bytea not null,
  payer         text,
  token         text,
  nonce         bytea check (length(nonce) = 32),
  -- The transaction's nonce, on live networks where an account numbers its transactions.
  account_nonce bigint,
  -- The payer's signature is void from here on.
  valid_before  timestamptz(3),
  tx_hash       text,
  -- Sealed; emptied once it is settled or void.
  credential    bytea check (length(credential) <= 32768),
  challenge_id  text check (length(challenge_id) <= 128),
  -- `open`: sent, or about to be. `settled`: the payment is paid. `void`: it can never move money any more.
  state         text not null check (state in ('open', 'settled', 'void')),
  attempts      smallint not null default 0,
  due_at        timestamptz(3),
  created_at    timestamptz(3) not null,
  ended_at      timestamptz(3),
  unique (livemode, network, replay_key)
);
create index machine_credentials_of_payment on machine_credentials (payment_id, created_at);
create index machine_credentials_by_nonce on machine_credentials (livemode, network, nonce) where nonce is not null;
-- A network carries out only one of an account's transactions with the same nonce.
create unique index machine_credentials_open_by_account_nonce on machine_credentials (network, payer, account_nonce)
  where state = 'open' and account_nonce is not null;
create index machine_credentials_due on machine_credentials (due_at) where due_at is not null;

-- Sandbox -----------------------------------------------------------------------------------------------------------

-- Why: the networks of test mode: one of each per account, so that no account sees another's blocks.
create table sandbox_blocks (
  account_id   text not null references accounts,
  network      text not null,
  number       bigint not null,
  -- By the account's test clock.
  time         timestamptz(3) not null,
  recorded_at  timestamptz(3) not null,
  primary key (account_id, network, number)
);
create index sandbox_blocks_by_recording on sandbox_blocks (recorded_at);

-- Why: what was sent on them.
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

-- Why: what was ordered from the route provider of test mode, and how far it has come.
create table sandbox_orders (
  reference         text primary key,
  deposit_address   text not null,
  request           jsonb not null,
  state             text not null
    check (state in ('waiting', 'seen', 'short', 'converting', 'delivering', 'done', 'returned', 'stuck', 'dead')),
  reason            text,
  deposited_units   numeric(78,0),
  deposited_at      timestamptz(3),
  output_units      numeric(78,0),
  payout_tx_hashes  text[] not null default '{}'
);

-- Service -----------------------------------------------------------------------------------------------------------

-- Why: receipts and asymmetric webhook signatures are statements that others verify with a public key. Each account and
-- mode has its own, so that a statement of one never passes for one of another.
create table signing_keys (
  -- RFC 7638 thumbprint of the public key.
  kid          text primary key,
  account_id   text not null references accounts,
  livemode     boolean not null,
  public_key   bytea not null check (length(public_key) = 32),
  -- Sealed. A retired key cannot sign: its private half is deleted.
  private_key  bytea,
  created_at   timestamptz(3) not null,
  retired_at   timestamptz(3),
  check ((retired_at is null) = (private_key is not null))
);
create unique index signing_keys_current on signing_keys (account_id, livemode) where retired_at is null;
create index signing_keys_of_account on signing_keys (account_id, livemode, created_at);

-- Why: the first answer of each keyed request. A plain table: a partition would let a key pass twice.
create table idempotency_keys (
  account_id   text not null,
  livemode     boolean not null,
  key          text not null,
  fingerprint  bytea not null,
  request_id   text not null,
  status       integer,
  body         bytea,
  -- Answers that hold a secret are encrypted.
  sealed       boolean not null default false,
  expires_at   timestamptz(3) not null,
  primary key (account_id, livemode, key)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);

-- Why: mail to be sent, written with the change that it reports and sent by the worker.
create table mails (
  id            text primary key,
  to_address    text not null,
  -- Subject and text, sealed, because a login code stands in them; emptied once the mail is out.
  content       bytea,
  attempts      integer not null default 0,
  -- Null once the mail is sent or given up.
  due_at        timestamptz(3),
  lease         text,
  lease_until   timestamptz(3),
  -- After this instant the mail says nothing useful any more (a code has expired).
  useful_until  timestamptz(3) not null,
  sent_at       timestamptz(3),
  error         text,
  created_at    timestamptz(3) not null
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_by_creation on mails (created_at);

-- Why: several processes raise the same alarm, again and again until it ends. The operator gets one mail an hour of each.
create table alarm_mails (
  -- The alarm, and its network if it has one.
  name       text primary key,
  mailed_at  timestamptz(3) not null
);

-- Why: what merchants asked to get mails about, and receipts by mail to their customers. A row is written with the
-- change itself, and a job turns it into a mail later, so that no payment waits for one.
create table notices (
  id           bigint generated always as identity primary key,
  account_id   text not null references accounts,
  livemode     boolean not null,
  kind         text not null check (kind in ('paid', 'needs_decision', 'refund_answered', 'unattributed', 'receipt')),
  -- What it is about, which may be deleted before.
  payment_id   text,
  refund_id    text,
  transfer_id  text,
  -- The customer's address, for a receipt.
  to_address   text,
  due_at       timestamptz(3) not null default '-infinity',
  -- Null until it is mailed, or found not to be worth a mail.
  handled_at   timestamptz(3),
  outcome      text check (outcome in ('mailed', 'digest', 'skipped', 'limited')),
  check ((handled_at is null) = (outcome is null))
);
create index notices_due on notices (due_at) where handled_at is null;
create index notices_waiting on notices (account_id, livemode, id) where handled_at is null;
create index notices_handled on notices (handled_at) where handled_at is not null;
create index notices_by_account on notices (account_id, livemode, outcome, handled_at desc)
  where handled_at is not null;
create index notices_by_address on notices (to_address, handled_at) where kind = 'receipt' and outcome = 'mailed';
-- A payment has one receipt by mail, and a transfer one notice.
create unique index notices_of_receipts on notices (payment_id) where kind = 'receipt';
create unique index notices_of_transfers on notices (account_id, transfer_id) where transfer_id is not null;

-- Why: days that are over, summed once, when a page first shows them.
create table activity_days (
  account_id  text not null references accounts,
  livemode    boolean not null,
  day         date not null,
  -- One entry per currency and route: {currency, route, paid, volume_minor, fee_minor}; amounts as strings.
  paid        jsonb not null,
  started     integer not null check (started >= 0),
  primary key (account_id, livemode, day)
);

-- Why: a day that is not over, summed up to an instant after which nothing earlier is committed any more.
create table activity_so_far (
  account_id    text not null references accounts,
  livemode      boolean not null,
  day           date not null,
  summed_until  timestamptz(3) not null,
  -- As in activity_days.
  paid          jsonb not null,
  started       integer not null check (started >= 0),
  primary key (account_id, livemode, day)
);

-- Why: the last requests of each account, written in batches beside the requests, never by them. Bounded by its
-- pruning.
create table request_log (
  id               text not null,
  account_id       text not null,
  livemode         boolean not null,
  key_id           text,
  method           text not null,
  path             text not null,
  status           integer not null,
  code             text,
  duration_ms      integer not null,
  idempotency_key  text,
  at               timestamptz(3) not null,
  primary key (id)
);
create index request_log_by_account on request_log (account_id, livemode, at desc, id desc);
create index request_log_by_time on request_log (at);
