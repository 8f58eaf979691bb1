-- Why: the home page summed up today at each view, which takes a second for an account with 100,000 payments a day.

-- A day that is not over, summed up to an instant after which nothing earlier is committed any more.
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
