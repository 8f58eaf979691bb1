-- Why: reading a chain only stores transfers, and a queue attributes them one at a time. A transfer that cannot be processed is
-- set aside, and what a busy address receives past its limit is counted by hour.
alter table transfers add column queued boolean not null default false;
alter table transfers add column attempts smallint not null default 0;
alter table transfers add column set_aside_at timestamptz;
create table address_activity (
  network     text not null,
  address     text not null,
  hour        timestamptz(3) not null,
  stored      integer not null default 0,
  skipped     integer not null default 0,
  dust        integer not null default 0,
  dust_units  numeric(78,0) not null default 0,
  primary key (network, address, hour)
);
