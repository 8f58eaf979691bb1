-- Why: a merchant may pay the network fees of customers whose wallets batch calls (ERC-7677). The address of their
-- paymaster holds a key, so it is sealed; the host is what is shown.
alter table accounts add column paymaster_host text;
alter table accounts add column paymaster_url bytea;
