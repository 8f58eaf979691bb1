-- Why: an account with a million events may ask for the three refunds among them.
create index events_by_type on events (account_id, livemode, type, recorded_at desc, id desc);
