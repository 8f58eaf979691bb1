import type { Scenario } from './scenarios.ts';

/** A bug that is put into the service on purpose, and the promise whose check must go red. */
export interface Mutation {
  bug: string;
  /** The beginning of the violation's line. */
  breaks: string;
  /** If random steps alone rarely lead to it. */
  scenario?: Scenario;
  /** The number of seeds, if 40 are too few. */
  runs?: number;
  file: string;
  defends: string;
  without: string;
  /** A second line of the same defense. */
  also?: { file: string; defends: string; without: string };
}

const settlement = 'server/src/settlement';
const webhooks = 'server/src/resources/webhooks';
const rpc = 'server/src/outside/chains/rpc';
const sessions = 'server/src/resources/checkout-sessions';

export const MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a session ends later once its payment has moved',
    breaks: 'I1',
    file: `${settlement}/records/payment-store.ts`,
    defends: `const rows = await db.query(
    'update_payment',
    \``,
    without:
      "  await db.query('mutate', `update checkout_sessions set expires_at = expires_at + interval '1 " +
      "second' where payment_id = $1`, [before.id]);\n  const rows = await db.query('update_payment', `\n",
  },
  {
    bug: 'a key that was used is used again',
    breaks: 'I2',
    file: `${sessions}/insert-store.ts`,
    defends: "'(select max(recorded_at) from asked)')}",
    without: '"\'infinity\'")}',
  },
  {
    bug: 'an expired payment sends no event',
    breaks: 'I3',
    file: `${settlement}/records/record-events.ts`,
    defends: '  if (steps.length === 0) return;',
    without: "  steps = steps.filter((step) => step.type !== 'payment.expired');\n  if (steps.length === 0) return;",
  },
  {
    bug: 'an event is not queued for every endpoint',
    breaks: 'I3: an event of',
    file: `${settlement}/records/event-store.ts`,
    defends:
      '       and endpoint.deleted_at is null and endpoint.collects and ${source}.type = any (endpoint.events)`;',
    without:
      '       and endpoint.deleted_at is null and endpoint.collects and ${source}.type = any ' +
      "(endpoint.events) and ${source}.type <> 'payment.paid'`;",
  },
  {
    bug: 'a refusal counts as delivered',
    breaks: 'I3: evt_',
    file: `${webhooks}/delivery/delivery.ts`,
    defends: 'answer.status >= 200 && answer.status < 300',
    without: 'answer.status >= 200 && answer.status < 500',
  },
  {
    bug: 'a delivery leased by a worker that died is never leased again',
    breaks: 'after healing: I3',
    file: `${webhooks}/delivery/lease-store.ts`,
    defends: 'export const LEASE_MS = 30 * SECOND_MS;',
    without: 'export const LEASE_MS = 3_000_000 * SECOND_MS;',
    also: {
      file: `${webhooks}/delivery/worker-store.ts`,
      defends: 'where $4 and until <= $3 and id <> $1 returning id',
      without: 'where $4 and until <= $3 and id <> $1 and false returning id',
    },
  },
  {
    bug: 'each attempt writes the body again',
    breaks: 'I4',
    file: `${webhooks}/delivery/lease-store.ts`,
    defends: '    clockOffsetMs: Number(row.clockOffsetMs),',
    without: '    clockOffsetMs: Number(row.clockOffsetMs),\n    body: Buffer.from(`${row.body.toString()} `),',
  },
  {
    bug: 'the signature does not cover its timestamp',
    breaks: 'I4',
    file: `${webhooks}/delivery/signature.ts`,
    defends: "createHmac('sha256', key.own).update(`${seconds}.`).update(body)",
    without: "createHmac('sha256', key.own).update(body)",
  },
  {
    bug: 'a paused worker continues with the time from before its pause',
    breaks: 'I4',
    file: `${webhooks}/delivery/database-clock.ts`,
    defends: '      if (mono - asked < READ_AGAIN_MS || tries === CLOCK_TRIES) return { real, mono };',
    without: '      if (mono >= 0) return { real, mono: asked };',
  },
  {
    bug: 'a transfer that is not final counts',
    breaks: 'I5',
    file: `${settlement}/verification/finality.ts`,
    defends: '      return confirmations(block, head.number) >= rule.count;',
    without: '      return true;',
  },
  {
    bug: 'one provider is enough, whatever the others say',
    breaks: 'alone',
    file: `${rpc}/quorum.ts`,
    defends: '  return configuredCount >= MAJORITY_MIN_PROVIDERS ?',
    without:
      "  const one = reports.find((report) => report.type === 'stands');\n  if (one) reports = [one];\n  " +
      'return configuredCount >= MAJORITY_MIN_PROVIDERS ?',
  },
  {
    bug: 'the report of a lagging provider is ignored',
    breaks: 'alone',
    file: `${rpc}/quorum.ts`,
    defends: "  if (ofType(reports, 'not_yet').length > 0) return { type: 'wait', details: detailsOf(reports) };\n",
    without: '',
  },
  {
    bug: 'the head of one provider that is far ahead makes transfers final',
    scenario: 'ahead',
    breaks: 'I5',
    file: `${rpc}/quorum.ts`,
    defends: 'sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))',
    without: 'sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))',
    also: {
      file: `${rpc}/heads.ts`,
      defends: '    if (usualBlockMs === null) return;',
      without: '    if (usualBlockMs !== null) return;',
    },
  },
  {
    bug: 'a provider is unreachable after its first failure',
    breaks: 'alone',
    file: 'server/src/outside/chains/chain.ts',
    defends: 'export const UNREACHABLE_MIN_MS = 10 * MINUTE_MS;',
    without: 'export const UNREACHABLE_MIN_MS = 0 * MINUTE_MS;',
  },
  {
    bug: 'a provider that flaps counts as unreachable',
    breaks: 'alone',
    scenario: 'flapping',
    file: `${rpc}/providers.ts`,
    defends: '    member.calls.succeeded();',
    without: '',
  },
  {
    bug: 'the cap of what one provider settles is not checked',
    breaks: 'alone',
    scenario: 'alone',
    file: `${settlement}/verification/single-provider.ts`,
    defends: '  if (totalUsdMinor > capUsdMinor) return undefined;',
    without: '',
  },
  {
    bug: 'what one provider has settled alone has no evidence',
    breaks: 'alone',
    scenario: 'alone',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: '{ ...evidence, singleProvider }',
    without: 'evidence',
  },
  {
    bug: 'unproven references count',
    breaks: 'attribution',
    file: `${settlement}/attribution/candidates.ts`,
    defends: 'const referenced = (await findReferenced(db, livemode, [judged]))',
    without:
      'const referenced = (await findReferenced(db, livemode, [{ ...judged, carried: [...judged.carried, ...transfer.unproven ?? []] }]))',
  },
  {
    bug: 'an unproven reference is stored as a proven one',
    breaks: 'attribution',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends: '  return transfer.carried.map(',
    without: '  return [...transfer.carried, ...transfer.unproven ?? []].map(',
  },
  {
    bug: 'the queue stops at a poisoned transfer',
    breaks: 'after healing: I6',
    file: `${settlement}/attribution/attribute-queued.ts`,
    defends: '    const attempts = await postponeTransfer(ctx.db, id, {',
    without: '    if (error) throw error;\n    const attempts = await postponeTransfer(ctx.db, id, {',
  },
  {
    bug: 'a transaction that cannot be stored stops the network',
    breaks: 'after healing: I6',
    file: `${settlement}/reading/store-one-by-one.ts`,
    defends: 'const MAX_SAVE_ATTEMPTS = 3;',
    without: 'const MAX_SAVE_ATTEMPTS = Number.POSITIVE_INFINITY;',
  },
  {
    bug: 'dust becomes rows without limit',
    breaks: 'limits: dust',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: 'const isListed = !isDust && ',
    without: 'const isListed = ',
  },
  {
    bug: 'a tag makes rows of dust',
    breaks: 'limits: dust',
    file: `${settlement}/reading/activity-store.ts`,
    defends: '(isBelowCent(transfer) ? [] : unproven)',
    without: 'unproven',
  },
  {
    bug: 'a crowded address lists everything',
    breaks: 'limits: a crowded',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: 'export const MAX_LISTED_PER_HOUR = 500;',
    without: 'export const MAX_LISTED_PER_HOUR = 500_000;',
  },
  {
    bug: 'a claim by a stranger makes rows of dust',
    breaks: 'limits: dust',
    file: `${settlement}/reading/activity-store.ts`,
    defends: "(c.signer = '' or c.signer = seen.sender)",
    without: 'c.signer is not null',
  },
  {
    bug: 'a payment stores any number of claims',
    breaks: 'limits: pay_',
    file: `${settlement}/attribution/claim-store.ts`,
    defends: 'export const MAX_CLAIMS_PER_PAYMENT = 8;',
    without: 'export const MAX_CLAIMS_PER_PAYMENT = 8_000;',
  },
  {
    bug: 'half of what is due is enough',
    breaks: 'I5',
    file: `${settlement}/records/amounts.ts`,
    defends: '  return share < cap ? share : cap;',
    without: '  return required / 2n;',
  },
  {
    bug: 'knowing a hash is enough to claim it',
    breaks: 'attribution',
    runs: 200,
    file: `${settlement}/attribution/claim-store.ts`,
    defends: 'and c.signer = seen.sender and',
    without: 'and',
  },
  {
    bug: 'a payment releases its exact amount with its first event',
    breaks: 'amounts',
    file: `${settlement}/records/payment-store.ts`,
    defends: 'if (last.payment.endedAt && !before.endedAt) await releaseAmounts',
    without: 'await releaseAmounts',
  },
  {
    bug: 'transfers of a block that was read in part are missed',
    breaks: 'after healing: I6',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '      await storeFacts(db, factsOf(reader, reading), now);',
    without:
      '      await storeFacts(db, factsOf(reader, { ...reading, transfers: reading.transfers.slice(0, 1) }), now);',
  },
  {
    bug: 'the second pass reads from the provider of the first',
    breaks: 'after healing: I6',
    runs: 200,
    file: 'server/src/outside/chains/rpc/chain.ts',
    defends: "pass === 'second' ? this.#others(firstReader) : this.#providers.names;",
    without: 'this.#providers.names;',
  },
  {
    bug: 'nothing expires',
    breaks: 'after healing: I6',
    file: `${settlement}/outcome/expire.ts`,
    defends: '  if (!payment || at.created.getTime() < payment.expiresAt.getTime()) return false;',
    without: '  if (!payment || payment) return false;',
  },
  {
    bug: 'a payment expires though the chain was not read past its end',
    breaks: 'I6',
    file: `${settlement}/outcome/expire.ts`,
    defends: '    if (!coveredUntil || coveredUntil.getTime() <= payment.expiresAt.getTime()) return false;',
    without: '',
    also: {
      file: `${settlement}/outcome/expiry-store.ts`,
      defends: "and (p.status = 'created' or covered.until > p.expires_at)",
      without: '',
    },
  },
  {
    bug: 'an unpaid session fails instead of expiring',
    breaks: 'I7',
    file: `${settlement}/outcome/lifecycle.ts`,
    defends: "window_closed: {\n    created: ['expired']",
    without: "window_closed: { created: ['failed']",
  },
  {
    bug: 'the fee is 1.4 percent',
    breaks: 'I8',
    file: 'server/src/settlement/records/fee.ts',
    defends: 'mulDivHalfUp(amountMinor, 15n, 1_000n)',
    without: 'mulDivHalfUp(amountMinor, 14n, 1_000n)',
  },
  {
    bug: "a session settles to another address than its wallet's",
    breaks: 'I9',
    file: `${sessions}/insert-store.ts`,
    defends: 'sessionMembers(session)',
    without: 'sessionMembers({ ...session, receiveAddress: session.receiveAddress.toLowerCase() })',
  },
  {
    bug: 'a payment is shown to every account that knows its id',
    breaks: 'I10',
    file: `${settlement}/records/payment-store.ts`,
    defends: `and p.account_id = $2 and p.livemode = $3\`,
    [id, account.id`,
    without: ' and $2::text is not null and p.livemode = $3`, [id, account.id',
  },
  {
    bug: 'an endpoint of one account receives the events of all',
    breaks: 'I10',
    file: `${settlement}/records/event-store.ts`,
    defends: 'on endpoint.account_id = ${source}.account_id and endpoint.livemode',
    without: 'on endpoint.livemode',
  },
  {
    bug: 'the log contains a signing secret',
    breaks: 'I11',
    file: `${webhooks}/endpoints/create.ts`,
    defends: '  return { endpoint, secret };',
    without: "  ctx.log.info({ note: secret }, 'an endpoint was made');\n  return { endpoint, secret };",
  },
  {
    bug: 'a secret key is stored unencrypted',
    breaks: 'after healing: I11',
    file: 'server/src/resources/accounts/api-keys.ts',
    defends: '    label: request.label,',
    without: '    label: secret,',
  },
  {
    bug: 'the third attempt comes after four minutes',
    breaks: 'I12',
    file: `${webhooks}/delivery/schedule.ts`,
    defends: '=> minutes * MINUTE_MS',
    without: '=> (minutes === 5 ? 4 : minutes) * MINUTE_MS',
  },
  {
    bug: 'there is a seventh attempt, which the database refuses to write down',
    breaks: 'after healing: I3',
    file: `${webhooks}/delivery/schedule.ts`,
    defends: '= RETRY_DELAYS_MINUTES.map(',
    without: '= [...RETRY_DELAYS_MINUTES, 1].map(',
  },
  {
    bug: 'a deleted endpoint still receives deliveries',
    breaks: 'I13',
    file: `${webhooks}/endpoints/endpoint-store.ts`,
    defends: 'update webhook_endpoints set deleted_at = $4',
    without: 'update webhook_endpoints set warned_at = $4',
  },
  {
    bug: 'a deleted key is still accepted',
    breaks: 'I13',
    file: 'server/src/resources/accounts/credential-store.ts',
    defends: 'k.secret_hash = any($1::bytea[]) and k.revoked_at is null',
    without: 'k.secret_hash = any($1::bytea[])',
  },
  {
    bug: 'a refund that is planned is not in the sum of its payment',
    breaks: 'I15',
    file: 'server/src/resources/refunds/save.ts',
    defends: 'claimedUnits: isClaiming(refund) ? refund.amountUnits : 0n',
    without: 'claimedUnits: isFinal ? refund.amountUnits : 0n',
  },
  {
    bug: 'a transfer of another amount returns a refund',
    breaks: 'I15',
    file: 'server/src/resources/outgoing-transfers/look-up.ts',
    defends: '    amountUnits === wanted.amountUnits &&\n    to ===',
    without: '    to ===',
  },
  {
    bug: 'an answer has no limits in its headers',
    breaks: 'I14',
    file: 'server/src/platform/http/admission/rate-limit.ts',
    defends: "    'x-ratelimit-remaining': String(verdict.remaining),\n",
    without: '',
  },
  {
    bug: 'what providers keep reporting differently raises no alarm',
    breaks: 'I16',
    file: `${settlement}/verification/hold-transfer.ts`,
    defends: "else ctx.log.error({ ...about, alarm: 'providers_disagree' }",
    without: 'else ctx.log.warn({ ...about }',
  },
];
