-- Why: the payments of one customer are listed newest first, among millions of others.
create index concurrently if not exists checkout_sessions_by_customer_reference on checkout_sessions (account_id, livemode, (customer ->> 'reference'), created_at desc, payment_id desc) where customer ->> 'reference' is not null;
create index concurrently if not exists checkout_sessions_by_customer_email on checkout_sessions (account_id, livemode, (customer ->> 'email'), created_at desc, payment_id desc) where customer ->> 'email' is not null;
