-- Why: a tag or an unverified claim made rows of all transfers of a transaction, past the limits of their address. And three
-- attempts of attribution within milliseconds set a payment aside for a fault of a few seconds.

-- Rows beyond the limits of the address, for transfers that only a hint connects with a payment.
alter table address_activity add column stored_on_hints integer not null default 0;

-- When a transfer whose attribution failed is tried again.
alter table transfers add column retry_at timestamptz(3);
