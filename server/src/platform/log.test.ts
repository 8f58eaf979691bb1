import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger, type RaisedAlarms } from './log.ts';

test('secrets and addresses of people are left out, at the top and one level down', () => {
  expect(
    logged((log) =>
      log.info(
        {
          email: 'ada@example.com',
          paymentId: 'pay_1',
          account: { email: 'ada@example.com', id: 'acc_1' },
          token: 'ses_x',
          code: '23ABCD',
        },
        'logged in',
      ),
    ),
  ).toMatchObject({
    email: '[redacted]',
    paymentId: 'pay_1',
    account: { email: '[redacted]', id: 'acc_1' },
    token: '[redacted]',
    code: '[redacted]',
    msg: 'logged in',
  });
});

test('an error keeps its kind, words, place and cause, and nothing that a library hung on it', () => {
  const error = Object.assign(new Error('connection lost', { cause: new Error('reset') }), {
    code: 'ECONNRESET',
    client: { password: 'hunter2' },
  });
  const line = logged((log) => log.warn({ err: error }, 'database'));
  expect(line.err).toMatchObject({
    type: 'Error',
    message: 'connection lost',
    code: 'ECONNRESET',
    cause: { message: 'reset' },
  });
  expect(JSON.stringify(line)).not.toContain('hunter2');
});

test('the stack of an error is logged, unless it only says that something cannot be reached', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const logs = [new TypeError('a bug'), refused, new Error('no price', { cause: refused })].map(
    (err) => logged((log) => log.error({ err }, 'job failed')).err,
  );
  expect(logs.map(({ stack }) => typeof stack)).toEqual(['string', 'undefined', 'undefined']);
});

test('an alarm is of the network of the logger that raised it', () => {
  const raised: RaisedAlarms = new Map();
  const log = createLogger('info', { out: new PassThrough(), raised });
  for (const network of ['base', 'ethereum']) log.child({ network }).error({ alarm: 'history_missing' }, 'no blocks');
  expect([...raised]).toEqual(
    ['base', 'ethereum'].map((network) => [
      `history_missing ${network}`,
      { alarm: 'history_missing', message: 'no blocks', facts: { network }, times: 1 },
    ]),
  );
});

function logged(write: (log: ReturnType<typeof createLogger>) => void): any {
  const out = new PassThrough();
  write(createLogger('info', { out }));
  return JSON.parse(String(out.read()));
}
