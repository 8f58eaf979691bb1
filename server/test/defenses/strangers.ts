import type { Defense } from './list.ts';

const http = 'server/src/platform/http';
const resources = 'server/src/resources';

/** Beside the money rules: what one client or one account does costs no other one its answers. */
export const STRANGER_DEFENSES: readonly Defense[] = [
  {
    rule: 'An account follows its events by at most 20 streams per mode',
    file: `${http}/event-stream.ts`,
    defends: 'if (held >= maxHeld) {',
    without: "if (held >= maxHeld && holder.kind === 'client') {",
    test: 'server/test/api/events.test.ts',
    named: 'an account has 20 streams per mode',
  },
  {
    rule: "One account's events cause no statement for another account's streams",
    file: `${resources}/webhooks/events/stream.ts`,
    defends: "if (account === '' || account === caller.id) feed.wake();",
    without: "if (account !== 'nobody') feed.wake();",
    test: 'server/test/api/events.test.ts',
    named: 'streams of an account share each look',
  },
  {
    rule: 'A request target is a path, without a host or a fragment',
    file: `${http}/admission/admit.ts`,
    defends: "if (!target.startsWith('/') || target.includes('#'))",
    without: "if (target === '')",
    test: 'server/test/api/http-ground-raw.test.ts',
    named: 'a request target with',
  },
  {
    rule: "An Idempotency-Key without an account belongs to the route's object, not to the text of the target",
    file: `${http}/idempotency/claim.ts`,
    defends: '  const path = concretePath(request);',
    without: '  const path = request.url;\n  void concretePath;',
    test: 'server/test/api/http-ground-idempotency.test.ts',
    named: 'however its path is written',
  },
  {
    rule: 'Whatever is asked of the built files, the answer is not a failure of the service',
    file: `${http}/files.ts`,
    defends: 'statusCode >= 400 && statusCode < 500',
    without: 'statusCode === 404',
    test: 'server/test/api/asset-files.test.ts',
    named: 'a NUL is 404',
  },
  {
    rule: 'An Idempotency-Key has no control characters, wherever it comes from',
    file: `${http}/idempotency/claim.ts`,
    defends: '  if (!KEY.test(key)) {',
    without: '  if (!KEY.test(key) && key.length > MAX_KEY_LENGTH) {',
    test: 'server/test/api/request-log.test.ts',
    named: 'an Idempotency-Key with a control character',
  },
  {
    rule: "A row of the request log that the database refuses costs no other account's rows",
    file: `${resources}/dashboard/request-log.ts`,
    defends: '      if (isUnavailable(error)) return warn(error, batch);',
    without: '      if (isUnavailable(error) || batch.length > 0) return warn(error, batch);',
    test: 'server/test/api/request-log.test.ts',
    named: 'a row that the database refuses',
  },
  {
    rule: 'Refunds that ask the chain share the quota of look-ups',
    file: `${resources}/dashboard/routes.ts`,
    defends: `address: body.address.trim() }),
    { transaction: false, quota: LOOK_UP_QUOTA },`,
    without: `address: body.address.trim() }),
    { transaction: false },`,
    test: 'server/test/api/address-look-ups-quota.test.ts',
    named: 'refunds that ask the chain share this quota',
  },
  {
    rule: 'Hints of strangers do not use up the look-ups of proofs',
    file: 'server/src/outside/chains/rpc/chain.ts',
    defends: "return asked === 'proof' ? proofs.lookUp(key, look, client) : look();",
    without: "void proofs; return asked === 'proof' ? hints.lookUp(key, look, client) : look();",
    test: 'server/src/outside/chains/rpc/lanes.test.ts',
    named: 'a proof is looked up though hints',
  },
  {
    rule: 'A client has a share of the hints of a minute',
    file: 'server/src/outside/chains/rpc/budget.ts',
    defends: '!starts.take(client)',
    without: '!starts.take(undefined)',
    test: 'server/src/outside/chains/rpc/hints.test.ts',
    named: 'one client cannot use up the budget',
  },
];
