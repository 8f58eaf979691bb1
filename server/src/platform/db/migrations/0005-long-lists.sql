-- Why: with a million payments every list, search and figure of the dashboard still reads only what it shows; and an account
-- may say what its sessions are like where a request leaves it open.

-- All that came to a wallet, page by page; and what one sender sent, newest first.
create index transfers_by_recipient on transfers (livemode, network, lower(to_address), block_time desc, id desc) where status <> 'dropped';
drop index transfers_by_sender;
create index transfers_by_sender on transfers (from_address, block_time desc) where from_address is not null;

-- A payment's own timeline: what nearly met it, and what its webhooks' endpoints, deleted ones too, were told of it.
create index transfers_by_near_payment on transfers (near_payment_id) where near_payment_id is not null;
create index webhook_endpoints_of_account on webhook_endpoints (account_id, livemode);

-- What a session is like where its request says nothing: {currency, expiresIn, acceptedAssets}; null and absent mean ours.
alter table accounts add column session_defaults jsonb not null default '{}';
