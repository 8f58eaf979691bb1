-- Why: the login mails of the last hour, and the starts of a /48, are counted for every start.
create index concurrently if not exists email_codes_sent on email_codes (created_at desc) where sent;
create index concurrently if not exists email_codes_by_client_range on email_codes (client_range, created_at desc) where client_range is not null;
