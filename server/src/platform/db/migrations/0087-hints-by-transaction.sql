-- Why: a transaction that failed explains only the payments whose customers named it, or proved to be its sender.

create index concurrently if not exists transaction_hints_by_hash on transaction_hints (tx_hash);
