-- Why: a wallet saved while no provider answers is looked up when one answers, and a token account is never paid.

alter table payout_wallets
  -- When the address is looked up on its network; null if it was.
  add column look_up_at timestamptz(3),
  -- Why money sent to the address is lost; null if it is not.
  add column unfit text;
