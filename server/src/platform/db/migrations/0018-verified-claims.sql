-- Why: the table `claims` kept whatever a stranger sent, without limit, and its key let a second signature replace the first. A claim is now
-- verified when it arrives and stored under its signer. `claims` stays as it is for older processes during an upgrade; its rows are moved here.
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
  -- Empty once verified, so that one signer has one verified claim; otherwise the signature's, so that none hides another.
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

-- The transactions that customers pointed at, to limit how many different ones a checkout has looked up.
create table transaction_hints (
  payment_id  text not null references payments,
  tx_hash     text not null,
  expires_at  timestamptz(3) not null,
  primary key (payment_id, tx_hash)
);
create index transaction_hints_expired on transaction_hints (expires_at);

-- The newest choices of one sender at one wallet, however many there were before.
create index payment_targets_of_sender on payment_targets (livemode, network, sender, address, asset, created_at desc) where sender is not null;
