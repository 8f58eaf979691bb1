-- Why: blocks in which ether from contracts could not be looked for hold the payments that they may have paid, and are read again.
create table unseen_blocks (
  network      text not null,
  asset        text not null,
  from_block   bigint not null,
  to_block     bigint not null,
  from_time    timestamptz(3) not null,
  to_time      timestamptz(3) not null,
  why          text not null,
  since        timestamptz(3) not null,
  -- Where the next attempt begins.
  next_block   bigint not null,
  -- Null before the first attempt.
  tried_at     timestamptz(3),
  -- When the alarm was logged.
  reported_at  timestamptz(3),
  primary key (network, from_block),
  check (from_block <= to_block and next_block between from_block and to_block)
);
