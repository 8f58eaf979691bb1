-- Why: one provider's word about a transfer is a claim. Each pass's version is kept until they agree or the quorum has decided.
alter table transfers add column confirmed boolean not null default true;
alter table transfers add column reported_by text[] not null default '{}';
alter table transfers add column contested jsonb;
