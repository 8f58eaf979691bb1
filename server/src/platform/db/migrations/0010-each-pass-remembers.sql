-- Why: after a reorganisation a pass goes back to the newest block that it stood at itself. One that another pass has put there since
-- lies on blocks of the new branch that this one has not read.
alter table chain_blocks add column pass text not null default 'first' check (pass in ('first', 'second'));
alter table chain_blocks alter column pass drop default;
alter table chain_blocks drop constraint chain_blocks_pkey;
alter table chain_blocks add primary key (network, pass, number);
