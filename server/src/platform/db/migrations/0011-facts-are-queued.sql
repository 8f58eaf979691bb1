-- Why: reading stores what a chain shows and nothing else. Which payment takes a transfer is decided afterwards, one transfer
-- at a time, so that no transfer can stop the reader. What fails three times is set aside for a person to look at.
alter table transfers add column queued boolean not null default false;
alter table transfers add column attempts smallint not null default 0;
alter table transfers add column set_aside_at timestamptz(3);
create index transfers_queued on transfers (network, to_address, block_number, tx_hash, index) where queued;
create index transfers_unverified on transfers (network, block_number) where livemode and status = 'seen' and payment_id is not null;
-- Money that no payment waits for becomes final block by block.
create index transfers_final_by_block on transfers (network, block_number) where livemode and status = 'seen' and payment_id is null;

-- What came to an address, by the hour: how much was listed, and how much was only counted. Rows are kept for two days.
create table address_activity (
  network    text not null,
  address    text not null,
  hour       timestamptz(3) not null,
  stored     integer not null default 0,
  -- Transfers that matched no payment, past the rate that an unproved address may have.
  skipped    integer not null default 0,
  -- Transfers worth less than a cent that matched no payment.
  dust       integer not null default 0,
  dust_units numeric(78,0) not null default 0,
  primary key (network, address, hour)
);
create index address_activity_by_hour on address_activity (hour);

-- Transactions of which not even the facts could be stored.
create table set_aside_transactions (
  network      text not null,
  tx_hash      text not null,
  to_address   text not null,
  block_number bigint not null,
  error        text not null,
  at           timestamptz(3) not null,
  primary key (network, tx_hash)
);
create index set_aside_transactions_by_address on set_aside_transactions (to_address);
