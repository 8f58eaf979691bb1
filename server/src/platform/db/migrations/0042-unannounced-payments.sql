-- Why: a stranger who only opens a payment link writes no event and no delivery. They are recorded with the customer's first choice.

-- False until the events of the payment are recorded. Older versions leave it at true and record the first event at once.
alter table payments add column is_announced boolean not null default true;
