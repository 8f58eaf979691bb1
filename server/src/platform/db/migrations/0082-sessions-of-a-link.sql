-- Why: the dashboard shows the payments of one payment link, newest first, among millions of others.
create index concurrently if not exists checkout_sessions_by_link on checkout_sessions (payment_link_id, created_at desc, payment_id desc) where payment_link_id is not null;
