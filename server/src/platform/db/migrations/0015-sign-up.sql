-- Why: sign-up can be closed. The first account belongs to the operator; an invitation opens one account.

alter table accounts add column is_operator boolean not null default false;
update accounts set is_operator = true where id = (select id from accounts order by created_at, id limit 1);

create table invitations (
  id          text primary key,
  -- `setup` opens the first account in production; the operator creates the others.
  kind        text not null check (kind in ('setup', 'member')),
  token_hash  bytea not null unique,
  account_id  text references accounts,
  email       text,
  label       text,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null,
  used_at     timestamptz(3),
  revoked_at  timestamptz(3),
  check ((kind = 'setup') = (account_id is null))
);
create index invitations_by_account on invitations (account_id, created_at desc, id desc);
create index invitations_by_expiry on invitations (expires_at);

-- The invitation that the login was started with.
alter table email_codes add column invitation_id text references invitations on delete set null;
