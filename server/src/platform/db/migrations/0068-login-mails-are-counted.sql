-- Why: mails to one address and all login mails of the service have limits, and an IPv6 client is counted by its /48 too.

-- False for a start that sent nothing. It counts for its client like any other, so that no limit tells accounts apart.
alter table email_codes add column sent boolean not null default true;
-- The /48 of an IPv6 client.
alter table email_codes add column client_range text;
