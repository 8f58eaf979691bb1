-- Why: programs pay with a signed credential. It is stored under a unique key before anything leaves the process, so that it is used once, gets the
-- same answer each time, and a crash between storing and sending loses nothing. The nonce of an EIP-3009 authorization names the payment.
create table machine_credentials (
  id           text primary key,
  payment_id   text not null references payments,
  livemode     boolean not null,
  network      text not null,
  protocol     text not null check (protocol in ('mpp', 'x402')),
  kind         text not null check (kind in ('transaction', 'authorization', 'hash', 'signature')),
  -- What can be used once only, hashed: the transaction, or token, payer and nonce; for a hash, which proves nothing, the payment as well.
  replay_key   bytea not null,
  payer        text,
  token        text,
  nonce        bytea check (length(nonce) = 32),
  -- The payer's signature is void from here on.
  valid_before timestamptz(3),
  tx_hash      text,
  -- Sealed; emptied once it is settled or void.
  credential   bytea check (length(credential) <= 32768),
  challenge_id text check (length(challenge_id) <= 128),
  -- `open`: sent, or about to be. `settled`: the payment is paid. `void`: it can never move money any more.
  state        text not null check (state in ('open', 'settled', 'void')),
  attempts     smallint not null default 0,
  due_at       timestamptz(3),
  created_at   timestamptz(3) not null,
  ended_at     timestamptz(3),
  unique (livemode, network, replay_key)
);
create index machine_credentials_of_payment on machine_credentials (payment_id, created_at);
create index machine_credentials_by_nonce on machine_credentials (livemode, network, nonce) where nonce is not null;
create index machine_credentials_due on machine_credentials (due_at) where due_at is not null;
