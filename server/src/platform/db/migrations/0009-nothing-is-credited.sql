-- Why: nobody ever wrote or read it. What a transfer counts for is told by its payment.
alter table transfers drop column credited_units;
