-- Why: one account owns an address on a network, the first that proved it. Exact amounts, listing and manual work follow from that.

create table address_owners (
  livemode   boolean not null,
  network    text not null,
  address    text not null,
  account_id text not null references accounts,
  method     text not null check (method in ('signature', 'contract', 'transfer')),
  proved_at  timestamptz(3) not null,
  primary key (livemode, network, address)
);

-- Before, a proof did not say whether a key or a contract had signed, so it counts for its own network only.
insert into address_owners (livemode, network, address, account_id, method, proved_at)
select distinct on (livemode, network, address) livemode, network, address, account_id, 'signature', proved_at
  from payout_wallets
 where proved_at is not null
 order by livemode, network, address, (archived_at is not null), proved_at, id;

-- A second account that proved the same address. The operator decides.
create table address_disputes (
  livemode   boolean not null,
  network    text not null,
  address    text not null,
  account_id text not null references accounts,
  owner_id   text not null references accounts,
  method     text not null check (method in ('signature', 'contract', 'transfer')),
  at         timestamptz(3) not null,
  primary key (livemode, network, address, account_id)
);

-- The transfer of an address to itself that would prove it.
create table transfer_challenges (
  payout_wallet_id text primary key references payout_wallets,
  network          text not null,
  address          text not null,
  asset            text not null,
  amount_units     numeric(78) not null,
  created_at       timestamptz(3) not null,
  expires_at       timestamptz(3) not null,
  unique (network, address, asset, amount_units)
);
create index transfer_challenges_by_expiry on transfer_challenges (expires_at);

-- Code was found at the address when it was saved, or no provider could be asked.
alter table payout_wallets add column needs_proof boolean not null default false;
create index payout_wallets_savers on payout_wallets (livemode, address, created_at, id) where archived_at is null;

-- When the owner of the address took the transfer back from another account's payment.
alter table transfers add column released_at timestamptz(3);
