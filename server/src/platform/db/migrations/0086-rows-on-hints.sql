-- Why: a tag or an unverified claim made rows of all transfers of a transaction, past the limits of their address.

-- Rows beyond the limits of the address, for transfers that only a hint connects with a payment.
alter table address_activity add column stored_on_hints integer not null default 0;
