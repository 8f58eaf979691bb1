-- Why: what is settled while only one of two providers can be asked stays within a cap per network and hour, over all processes.

-- One row per transfer that was settled that way. Rows older than the window are deleted when the next one is added.
create table single_provider_settlements (
  transfer_id text primary key,
  network text not null,
  usd_minor bigint not null check (usd_minor >= 0),
  settled_at timestamptz not null
);
create index single_provider_settlements_by_network on single_provider_settlements (network, settled_at);

-- The row that a settling transaction holds while it looks at the window, so that two of them cannot both use what is left.
create table single_provider_locks (
  network text primary key,
  locked_at timestamptz not null
);
