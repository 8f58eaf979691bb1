-- Why: the clients of one IPv6 /48 may be one customer, so that its amounts have a budget of their own.
alter table reserved_amounts add column client_range bytea;
