-- Why: a reference that the debited account did not write attributes nothing, but names the payment that was probably meant.
alter table transfers add column unproven bytea[] not null default '{}' check (cardinality(unproven) <= 4);
