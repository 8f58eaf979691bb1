-- Why: merchants say who pays, so that they find a customer's payments again.

-- An object of email, name and reference, each a string or null. Null if the merchant said nothing.
alter table checkout_sessions add column customer jsonb;
-- For the sessions that the link opens.
alter table payment_links add column customer jsonb;
