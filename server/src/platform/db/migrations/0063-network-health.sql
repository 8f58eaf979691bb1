-- Why: whether a network can be read was known only to the process that reads it, so that the alarm disappeared with a
-- dead worker, and other processes went on offering the network. Each worker writes down what it found.
create table network_health (
  network text not null,
  process text not null,
  asked_at timestamptz(3) not null,
  -- When a provider last told the newest block.
  answered_at timestamptz(3),
  -- By provider: whether its last call succeeded, and what it said otherwise.
  providers jsonb not null,
  primary key (network, process)
);

-- When the reader of a network last read up to the newest block, or a part of the way.
alter table chain_cursors add column progressed_at timestamptz(3);

-- Whether a release that does not know the migration can run beside it.
alter table schema_migrations add column is_contract boolean not null default false;
