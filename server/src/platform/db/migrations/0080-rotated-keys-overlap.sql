-- Why: a merchant replaces a key's secret on several servers without an interruption: the old secret works for a while.
alter table api_keys
  add column previous_hash bytea,
  add column previous_expires_at timestamptz(3) check ((previous_hash is null) = (previous_expires_at is null));
