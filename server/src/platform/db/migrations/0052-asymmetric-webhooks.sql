-- Why: a receiver that holds no secret can verify deliveries with the public key of the service (Standard Webhooks v1a).

alter table webhook_endpoints add column asymmetric_signature boolean not null default false;
