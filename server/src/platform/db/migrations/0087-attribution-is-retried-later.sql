-- Why: three attempts within milliseconds set a payment aside for a fault of a few seconds.

-- When a transfer whose attribution failed is tried again.
alter table transfers add column retry_at timestamptz(3);
