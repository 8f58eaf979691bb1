-- Why: when a final transfer disappears from the chain, its merchant sees it on the payment. Nothing else changes.

-- {type, tx_hash, detected_at}; null almost always.
alter table payments add column settlement_alert jsonb;
create index payments_alerted on payments (account_id, livemode) where settlement_alert is not null;
