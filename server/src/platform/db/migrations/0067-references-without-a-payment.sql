-- Why: a session that is created again after a restore finds the money that carries its reference and came before it.
create index concurrently if not exists transfers_with_references on transfers (block_time)
 where livemode and payment_id is null and handled_at is null and reason = 'no_match' and carried <> '{}';
