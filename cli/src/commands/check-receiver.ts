import { parseArgs } from 'node:util';
import { type Command, EXIT, UsageError } from '../command.ts';
import { type Forwarded, isAddress, send } from '../forward.ts';
import { type Check, type Delivery, judge, receiverChecks } from '../receiver-checks.ts';
import { colored, print, say, type Terminal } from '../terminal.ts';

/** Long enough to be two packets, short enough to wait for. */
const SLOW_PAUSE_MS = 500;
/** A delivery waits ten seconds. Half of that leaves room for a busy day. */
const SLOW_ANSWER_MS = 5_000;

/** Sends a receiver what breaks receivers. Needs no key and no server. */
export const checkReceiver: Command = {
  name: 'check-receiver',
  usage:
    'quittance check-receiver URL --secret whsec_… [--order-id ID] [--json]\n\n' +
    'URL is your own receiver, such as http://localhost:4000/webhooks. --secret is what it verifies with; without it, ' +
    'WEBHOOK_SECRET is used.\n' +
    'The events are signed and of test mode. They name an order that you do not have, unless you pass --order-id.\n' +
    'The exit code is 1 if something has to be mended.',
  summary: 'Send your receiver the deliveries that break receivers, and say what to mend.',
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        secret: { type: 'string' },
        'order-id': { type: 'string', default: 'check-receiver' },
        json: { type: 'boolean', default: false },
      },
    });
    const [url, ...more] = positionals;
    if (url === undefined || more.length > 0 || !isAddress(url))
      throw new UsageError('Give the address of one receiver, such as http://localhost:4000/webhooks.');
    const secret = values.secret ?? terminal.env.WEBHOOK_SECRET ?? '';
    if (!secret.startsWith('whsec_'))
      throw new UsageError('Give the signing secret of the receiver with --secret whsec_…, or as WEBHOOK_SECRET.');

    const checks = await receiverChecks({ secret, orderId: values['order-id'], now: new Date() });
    let failures = 0;
    for (const check of checks) {
      const answers = await deliver(url, check);
      const verdict = judge(check, answers);
      if (!verdict.passed) failures += 1;
      if (values.json) print(terminal, JSON.stringify({ name: check.name, ...verdict, answers }));
      else describe(terminal, check, verdict, answers);
      // The other answers would say the same.
      if (!verdict.passed && check === checks[0]) {
        say(terminal, 'The other checks need this one, so they were not made.');
        return EXIT.failed;
      }
    }
    say(terminal, failures === 0 ? `All ${checks.length} checks passed.` : `${failures} of ${checks.length} to mend.`);
    return failures === 0 ? EXIT.ok : EXIT.failed;
  },
};

async function deliver(url: string, { deliveries, atOnce }: Check): Promise<Forwarded[]> {
  const one = (delivery: Delivery) =>
    send(url, delivery.headers, delivery.slow ? inTwoParts(delivery.body) : delivery.body);
  if (atOnce) return Promise.all(deliveries.map(one));
  const answers: Forwarded[] = [];
  for (const delivery of deliveries) answers.push(await one(delivery));
  return answers;
}

function inTwoParts(body: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes.slice(0, 10));
      await new Promise((resolve) => setTimeout(resolve, SLOW_PAUSE_MS));
      controller.enqueue(bytes.slice(10));
      controller.close();
    },
  });
}

function describe(
  terminal: Terminal,
  { name, expects }: Check,
  verdict: ReturnType<typeof judge>,
  answers: readonly Forwarded[],
): void {
  const mark = verdict.passed ? colored(terminal, 'green', '✓') : colored(terminal, 'red', '✗');
  print(terminal, `${mark} ${name}: ${verdict.passed ? expects : verdict.why}`);
  const slowest = Math.max(...answers.map(({ durationMs }) => durationMs));
  if (verdict.passed && slowest > SLOW_ANSWER_MS)
    print(terminal, `  It took ${(slowest / 1000).toFixed(1)} s. After ten seconds a delivery has failed.`);
}
