-- Why: starts of one address are counted one after the other, and a new installation is entered by a one-time link.

-- The row that starts of email logins of one address queue at.
create table email_logins (
  email          text primary key,
  last_start_at  timestamptz(3) not null
);

-- A link that logs into an account once; made on the server's own machine only.
create table login_links (
  token_hash  bytea primary key,
  account_id  text not null references accounts,
  created_at  timestamptz(3) not null,
  expires_at  timestamptz(3) not null
);
