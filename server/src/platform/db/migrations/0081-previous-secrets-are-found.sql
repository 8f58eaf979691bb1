-- Why: every request with a secret key looks for it among the old secrets too.
create index concurrently if not exists api_keys_by_previous_hash on api_keys (previous_hash) where previous_hash is not null;
