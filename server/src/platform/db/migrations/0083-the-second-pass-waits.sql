-- Why: the second pass read from the first pass's provider while no other one answered, so what that provider left out was missed
-- for ever. It waits now, and reads those blocks from another provider later.

-- The provider that a reading came from; null where that is not known.
alter table chain_blocks add column provider text;

-- No other provider has answered for a minute: the first pass alone decides what has been read.
alter table chain_cursors add column waits_for_provider boolean not null default false;
