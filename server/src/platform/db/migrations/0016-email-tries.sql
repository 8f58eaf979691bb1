-- Why: tries of a login code count per client, and the mail also carries a link that no try can burn.

-- `attempts` is the total over all clients; each client has five of them.
alter table email_codes drop constraint email_codes_attempts_check;
alter table email_codes add constraint email_codes_attempts_check check (attempts <= 50);

create table email_code_tries (
  code_id  text not null references email_codes on delete cascade,
  client   text not null,
  tries    integer not null check (tries between 1 and 5),
  primary key (code_id, client)
);

alter table email_codes add column link_hash bytea;
create unique index email_codes_by_link on email_codes (link_hash) where link_hash is not null;
