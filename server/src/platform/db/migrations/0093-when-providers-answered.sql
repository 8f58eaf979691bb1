-- Why: when a provider answered last was known only to the process that asked it, and forgotten when that process ended.
create table provider_answers (
  network      text not null,
  provider     text not null,
  answered_at  timestamptz(3) not null,
  primary key (network, provider)
);
