-- Why: the chains of test mode grow with every test payment, and a year-old block is of no use.
create index sandbox_blocks_by_time on sandbox_blocks (time);
