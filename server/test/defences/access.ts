import type { Defence } from './list.ts';

const logins = 'server/src/resources/logins';
const invitations = 'server/src/resources/accounts/invitations';
const dashboard = 'server/src/resources/dashboard';
const signUp = 'server/test/api/sign-up.test.ts';
const tries = 'server/test/api/auth-email-tries.test.ts';

/** Beside the money rules: who may open an account or log in to it, whom a refund is suggested to, and what the platform promises them. */
export const ACCESS_DEFENCES: readonly Defence[] = [
  {
    rule: 'No account is opened while sign-up is closed',
    file: `${invitations}/sign-up.ts`, defends: "case 'closed': return false;", without: "case 'closed': return true;",
    test: signUp, named: 'a wallet without an account gets 403 signup_closed',
  },
  {
    rule: 'The first account in production needs the setup link',
    file: `${invitations}/sign-up.ts`, defends: "return profile === 'production' ? 'setup' : 'open';", without: "return profile === 'production' ? signup : 'open';",
    test: signUp, named: 'needs the setup link from the log',
  },
  {
    rule: 'One of two setup links that are used at once opens the first account',
    file: `${invitations}/admit.ts`, defends: "    await lockName(db, 'first account');\n", without: '    void lockName;\n',
    test: signUp, named: 'goes to one of two setup links',
  },
  {
    rule: 'One invitation opens one account',
    file: `${invitations}/store.ts`, defends: 'from invitations where id = $1 for update`', without: 'from invitations where id = $1`',
    test: signUp, named: 'of ten logins with one invitation at once',
  },
  {
    rule: 'A revoked or expired invitation opens nothing',
    file: `${invitations}/admit.ts`, defends: "invitation && statusOf(invitation, now) === 'pending' ? invitation : null", without: 'invitation ?? null',
    test: signUp, named: 'that is revoked after its code was sent',
  },
  {
    rule: 'Only the operator invites',
    file: `${invitations}/create.ts`, defends: 'if (!(await isOperator(db, caller.id)))', without: 'if (caller.id === (await isOperator(db, caller.id)).toString())',
    test: signUp, named: 'only the operator manages invitations',
  },
  {
    rule: 'A closed server does not tell which addresses have an account',
    file: `${logins}/start-email-login.ts`, defends: '    else await refuseByMail(', without: "    else if (isRefused) fail('signup_closed');\n    else await refuseByMail(",
    test: signUp, named: 'an unknown address gets the same answer as a known one',
  },
  {
    rule: 'Wrong tries of strangers leave the owner of an address their login code',
    file: `${logins}/code-store.ts`, defends: 'attempts < case when client = $3 then 50 else 45 end', without: "attempts < case when client = $3 then 5 else 5 end",
    test: tries, named: 'five wrong tries of each of nine strangers',
  },
  {
    rule: 'A client has five tries per login code',
    file: `${logins}/code-store.ts`, defends: 'set tries = email_code_tries.tries + 1 where email_code_tries.tries < 5', without: 'set tries = 5',
    test: tries, named: 'after five wrong tries of one client',
  },
  {
    rule: 'All clients together have fifty tries per login code',
    file: `${logins}/code-store.ts`, defends: 'then 50 else 45 end', without: 'then 50 else 50 end',
    test: tries, named: 'forty-five tries of strangers',
  },
  {
    rule: 'Login codes that strangers request do not displace the one that the owner requested',
    file: `${logins}/code-store.ts`, defends: 'and client = $3 and consumed_at is null', without: "and client = '' and consumed_at is null",
    test: tries, named: 'do not push out the one that the owner requested',
  },
  {
    rule: 'The login link of a mail works once',
    file: `${logins}/code-store.ts`, defends: 'where link_hash = $1 and email = $2 and consumed_at is null', without: 'where link_hash = $1 and email = $2',
    test: tries, named: 'is the only one of twenty at once',
  },
  {
    rule: 'A client has twenty verifications a minute',
    file: `${logins}/verify-email-code.ts`, defends: 'perMinute: 20', without: 'perMinute: 2000',
    test: tries, named: 'the twenty-first verification of one client',
  },
  {
    rule: 'Nothing of a transaction is written if BEGIN alone fails',
    file: 'server/src/platform/db/pool.ts', defends: "    await client.query('begin isolation level read committed');\n    result = await work(db);\n", without: "    const begun = client.query('begin isolation level read committed');\n    begun.catch(() => {});\n    result = await work(db);\n    await begun;\n",
    test: 'server/test/platform/pool.test.ts', named: 'nothing of a transaction is written if BEGIN alone fails',
  },
  {
    rule: 'A malformed request counts for its client, not for the proxy of all',
    file: 'server/src/platform/http/raw-errors.ts', defends: 'clientBucket(client)', without: 'clientBucket(socket.remoteAddress ?? client)',
    test: 'server/test/api/http-ground-proxies.test.ts', named: 'a malformed request counts for the client behind a trusted proxy',
  },
  {
    rule: 'Greedy clients cannot keep others from following their checkouts',
    file: 'server/src/platform/http/event-stream.ts', defends: 'if (!oldest || others.length <= held) throw', without: 'if (!oldest || others.length >= held) throw',
    test: 'server/test/api/public-stream.test.ts', named: 'beyond the cap a client with many streams loses its oldest',
  },
  {
    rule: 'Pages of one checkout share each look at the database',
    file: 'server/src/resources/checkout-sessions/stream.ts', defends: '  if (known) return known;\n', without: '  if (known && paymentId === sessionId) return known;\n',
    test: 'server/test/api/public-stream.test.ts', named: 'fifty pages of one checkout share each look',
  },
  {
    rule: 'A logo address that answers with an error does not end the process',
    file: 'server/src/outside/http/pictures.ts', defends: "body.on('error', () => {}).destroy()", without: 'body.destroy()',
    test: 'server/src/outside/http/pictures.test.ts', named: 'does not end the process',
  },
  {
    rule: 'Page views of strangers do not become requests to a third party',
    file: 'server/src/outside/http/pictures.ts', defends: 'return count <= MAX_REQUESTS_PER_HOST_AND_MINUTE;', without: 'return count <= MAX_REQUESTS_PER_HOST_AND_MINUTE * 100;',
    test: 'server/src/outside/http/pictures.test.ts', named: 'one host is asked thirty times a minute',
  },
  {
    rule: 'An account searches the dashboard sixty times a minute',
    file: 'server/src/resources/dashboard/routes.ts', defends: "perMinute: 60, by: 'account'", without: "perMinute: 60_000, by: 'account'",
    test: 'server/test/api/dashboard-search-quota.test.ts', named: 'the sixty-first search of an account in a minute',
  },
  {
    rule: 'No refund suggestion exceeds what that sender sent',
    file: `${dashboard}/refund-suggestions.ts`, defends: 'units: units < arrivedUnits ? units : arrivedUnits', without: 'units: units > arrivedUnits ? units : arrivedUnits',
    test: `${dashboard}/refund-suggestions.test.ts`, named: 'each sender once, the largest first',
  },
  {
    rule: 'A sender of less than 5 % of a payment is marked',
    file: `${dashboard}/refund-suggestions.ts`, defends: 'isSmall: units * 100n < arrivedUnits * SMALL_SHARE_PERCENT', without: 'isSmall: units * 100n < arrivedUnits - arrivedUnits * SMALL_SHARE_PERCENT && false',
    test: 'server/test/api/dashboard-chains.test.ts', named: 'is listed with what they sent, and is suggested no more',
  },
  {
    rule: 'An address that only looks like a sender is warned of',
    file: `${dashboard}/refund-suggestions.ts`, defends: 'return a !== b && a.slice(0, start)', without: 'return a === b && a.slice(0, start)',
    test: `${dashboard}/refund-suggestions.test.ts`, named: 'begins and ends like a larger sender',
  },
  {
    rule: 'A client starts sixty logins a minute, whichever the addresses',
    file: `${logins}/routes.ts`, defends: 'const LOGIN_STARTS_PER_MINUTE = 60;', without: 'const LOGIN_STARTS_PER_MINUTE = 6_000;',
    test: 'server/test/api/auth-rows.test.ts', named: 'the sixty-first message to sign of one client',
  },
  {
    rule: 'Concurrent starts of one login are counted one after the other',
    file: 'server/src/platform/db/advisory-lock.ts', defends: 'select pg_advisory_xact_lock(hashtextextended($1, 0))', without: 'select hashtextextended($1, 0)',
    test: 'server/test/api/auth-rows.test.ts', named: 'a hundred at once for one wallet leave five messages',
  },
];
