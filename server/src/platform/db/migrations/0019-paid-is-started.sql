-- Why: lists and sessions show a payment once it has started, and money starts it. Some payments were paid after their window
-- had closed without a customer ever starting them, and neither their session nor a list showed them.
update payments set started_at = paid_at where started_at is null and paid_at is not null;
