-- Why: receipts and asymmetric webhook signatures are statements that others verify with a public key.

create table signing_keys (
  -- RFC 7638 thumbprint of the public key.
  kid          text primary key,
  public_key   bytea not null check (length(public_key) = 32),
  -- Sealed. A retired key cannot sign: its private half is deleted.
  private_key  bytea,
  created_at   timestamptz(3) not null,
  retired_at   timestamptz(3),
  check ((retired_at is null) = (private_key is not null))
);

create unique index signing_keys_current on signing_keys ((true)) where retired_at is null;
