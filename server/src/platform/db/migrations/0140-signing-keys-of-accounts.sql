-- Why: a key that signs for every account and both modes makes statements of one pass for statements of another. Each account and mode gets its own
-- key. The table is a new one, because processes of the previous release sign with whichever key of `signing_keys` is current.
create table account_signing_keys (
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

create unique index account_signing_keys_current on account_signing_keys (account_id, livemode) where retired_at is null;
create index account_signing_keys_of_account on account_signing_keys (account_id, livemode, created_at);
