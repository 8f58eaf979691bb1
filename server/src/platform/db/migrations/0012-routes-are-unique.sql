-- Why: a deposit address or an identifier that two live orders share lets one deposit count twice, whichever providers gave it out.
-- Case is left aside: hex and bech32 have one address in two spellings, and no two base58 addresses differ only in case by chance.
drop index route_orders_address;
create unique index route_orders_deposit_address on route_orders (lower(deposit_address)) where livemode;
create unique index route_orders_reference on route_orders (provider, lower(reference)) where livemode;
-- How much more, in basis points, the input is worth than the output by the prices of the order. Null for older orders.
alter table route_orders add column premium_bps integer;
