-- Why: a key can be limited to what its program needs. Null is a key that may do everything, as before.

alter table api_keys add column scopes text[] check (cardinality(scopes) >= 1);
