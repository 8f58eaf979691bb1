-- Why: the contract says which networks exist and validates them; a second list here would make a new network a migration.

alter table accounts drop constraint accounts_login_network_check;
alter table login_nonces drop constraint login_nonces_network_check;
alter table payout_wallets drop constraint payout_wallets_network_check;
