-- Why: a restore may have lost the wallet as well, so money for a lost session may have been left as another asset or as on the wrong network.
create index concurrently if not exists transfers_with_references_left on transfers (block_time)
 where livemode and payment_id is null and handled_at is null and reason in ('no_match', 'other_asset', 'wrong_network') and carried <> '{}';
