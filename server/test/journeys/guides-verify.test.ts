import { execFile } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isInstalled, skippedNote } from '../../../clients/interpreters.ts';
import { readVectors } from '../../../scripts/vectors.ts';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { type Project, startProject } from '../support/guides.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

type Verify = (rawBody: string | Buffer, headers: Record<string, string>, secret: string) => { id: string };

const vectors = readVectors('webhooks');
const LIBRARIES = ['with-stripe.mjs', 'with-standardwebhooks.mjs'];
let app: TestApp;
let receiver: Receiver;
let project: Project;
let port: number;

beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
  receiver = await startReceiver();
  port = await freePort();
  project = await startProject({ url: app.url, key: app.merchant.testKey, port });
  await project.install(project.block('verify-webhooks.md', 'npm install stripe').replace(/ +#.*/, ''));
});
afterAll(async () => {
  vi.useRealTimers();
  await project?.[Symbol.asyncDispose]();
  await receiver?.close();
  await app?.stop();
});

describe.each(LIBRARIES)('%s', (file) => {
  test('takes what a running server delivers, and nothing that was changed', async () => {
    const verify = await load(file);
    const { secret } = await app.merchant.createEndpoint({ url: receiver.url, events: ['payment.created'] });
    const { id } = await app.merchant.createSession({ order_id: 'Größe 1' });
    const [got] = await receiver.waitFor(1, ({ event }) => event.data.session === id);
    const headers = got?.headers as Record<string, string>;
    const body = String(got?.body);
    expect(verify(body, headers, secret).id).toBe(got?.event.id);
    expect(() => verify(body.replace('49.00', '0.01'), headers, secret)).toThrow();
    expect(() => verify(body, headers, `${secret.slice(0, -4)}AAA=`)).toThrow();
    receiver.received.length = 0;
    const { data: endpoints } = await app.merchant.get('/webhook-endpoints');
    for (const endpoint of endpoints) await app.merchant.delete(`/webhook-endpoints/${endpoint.id}`);
  });

  // Stripe's library does not look at the future. The headers of the standard are in what the server itself signs.
  const own = file === 'with-stripe.mjs';
  const cases = vectors.filter(({ headers, expect: one }) =>
    own ? !('refused' in one && one.refused === 'future') : 'webhook-id' in headers,
  );
  test.each(cases)('does what the vector says: $name', async ({ headers, body, secret, now, expect: expected }) => {
    const verify = await load(file);
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1_000 });
    try {
      if ('event' in expected) expect(verify(body, headers, secret).id).toBe(expected.event);
      else expect(() => verify(body, headers, secret)).toThrow();
    } finally {
      vi.useRealTimers();
    }
  });
});

async function load(file: string): Promise<Verify> {
  return (await import(pathToFileURL(join(project.folder, file)).href)).constructEvent;
}

interface Language {
  name: string;
  program: string;
  /** The block of the guide, and where a program expects it. */
  file: string;
  at?: string;
  /** Reads a case per line, in base64, and prints `ok` or `no` for each. */
  driver: [file: string, text: string];
  run: string[];
}

const LANGUAGES: Language[] = [
  {
    name: 'JavaScript',
    program: 'node',
    file: 'verify-webhook.mjs',
    driver: [
      'drive.mjs',
      `import { createInterface } from 'node:readline';
import { constructEvent } from './verify-webhook.mjs';
for await (const line of createInterface({ input: process.stdin })) {
  const [body, header, secret, now] = line.split(' ').map((part) => Buffer.from(part, 'base64'));
  try {
    console.log(constructEvent(body, header.toString(), secret.toString(), Number(now.toString())) ? 'ok' : '');
  } catch { console.log('no'); }
}`,
    ],
    run: ['node', 'drive.mjs'],
  },
  {
    name: 'Python',
    program: 'python3',
    file: 'verify.py',
    driver: [
      'drive.py',
      `import base64, sys, verify
for line in sys.stdin:
    body, header, secret, now = [base64.b64decode(part) for part in line.rstrip("\\n").split(" ")]
    try:
        print("ok" if verify.construct_event(body, header.decode(), secret.decode(), int(now)) else "")
    except ValueError:
        print("no")`,
    ],
    run: ['python3', 'drive.py'],
  },
  {
    name: 'PHP',
    program: 'php',
    file: 'verify.php',
    driver: [
      'drive.php',
      `<?php require 'verify.php';
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$body, $header, $secret, $now] = array_map(base64_decode(...), explode(' ', $line));
    try { echo construct_event($body, $header, $secret, (int) $now) ? 'ok' : '', PHP_EOL; }
    catch (Exception) { echo 'no', PHP_EOL; }
}`,
    ],
    run: ['php', 'drive.php'],
  },
  {
    name: 'Ruby',
    program: 'ruby',
    file: 'verify.rb',
    driver: [
      'drive.rb',
      `require_relative "verify"
$stdin.each_line(chomp: true) do |line|
  body, header, secret, now = line.split(" ", -1).map { |part| part.unpack1("m") }
  begin
    puts construct_event(body, header, secret, now.to_i) ? "ok" : ""
  rescue StandardError
    puts "no"
  end
end`,
    ],
    run: ['ruby', 'drive.rb'],
  },
  {
    name: 'Go',
    program: 'go',
    file: 'verify.go',
    at: 'quittance/verify.go',
    driver: [
      'drive.go',
      `package main
import ("bufio"; "encoding/base64"; "fmt"; "os"; "strconv"; "strings"; "time"; "example.com/drive/quittance")
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var parts [4]string
		for at, part := range strings.Split(lines.Text(), " ") {
			bytes, _ := base64.StdEncoding.DecodeString(part)
			parts[at] = string(bytes)
		}
		now, _ := strconv.ParseInt(parts[3], 10, 64)
		if _, err := quittance.ConstructEvent([]byte(parts[0]), parts[1], parts[2], time.Unix(now, 0)); err != nil {
			fmt.Println("no")
		} else {
			fmt.Println("ok")
		}
	}
}`,
    ],
    run: ['go', 'run', 'drive.go'],
  },
  {
    name: 'Java',
    program: 'javac',
    file: 'Webhook.java',
    driver: [
      'Drive.java',
      `import java.util.Base64;
public class Drive {
  public static void main(String[] args) {
    new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).lines().forEach(line -> {
      String[] parts = line.split(" ", -1);
      byte[][] read = new byte[4][];
      for (int at = 0; at < 4; at++) read[at] = Base64.getDecoder().decode(parts[at]);
      try {
        Webhook.verify(read[0], read[1].length == 0 ? null : new String(read[1]), new String(read[2]), Long.parseLong(new String(read[3])));
        System.out.println("ok");
      } catch (java.security.GeneralSecurityException refused) { System.out.println("no"); }
    });
  }
}`,
    ],
    run: ['sh', '-c', 'javac Webhook.java Drive.java && java Drive'],
  },
];

test.each(LANGUAGES.map((language) => ({ ...language, note: skippedNote(language.program) })))(
  'plain code in $name does what every vector says$note',
  async ({ name, program, file, at, driver, run, note }) => {
    if (note !== '') return console.warn(`plain code in ${name}${note}`);
    const folder = join(project.folder, `in-${program}`);
    await mkdir(join(folder, at ? 'quittance' : '.'), { recursive: true });
    await rename(join(project.folder, file), join(folder, at ?? file));
    await writeFile(join(folder, driver[0]), driver[1]);
    if (program === 'go') await writeFile(join(folder, 'go.mod'), 'module example.com/drive\n\ngo 1.19\n');
    const lines = vectors.map(({ headers, body, secret, now }) =>
      [body, headers['service-signature'] ?? '', secret, String(now)]
        .map((part) => Buffer.from(part).toString('base64'))
        .join(' '),
    );
    const running = promisify(execFile)(run[0] as string, run.slice(1), {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: project.folder },
    });
    running.child.stdin?.end(`${lines.join('\n')}\n`);
    const verdicts = (await running).stdout.trimEnd().split('\n');
    expect(vectors.map((vector, index) => [vector.name, verdicts[index]])).toEqual(
      vectors.map((vector) => [vector.name, 'event' in vector.expect ? 'ok' : 'no']),
    );
  },
);

test('the receiver of the guide passes every check of its command', async () => {
  const [args = []] = project.commands('testing.md', 'npx --no quittance check-receiver');
  const secret = 'whsec_dGVzdA==';
  await using shop = await startProject({ url: app.url, key: '', port, env: { WEBHOOK_SECRET: secret } });
  await shop.serve('receiver.mjs').line(/localhost/);
  const output = await shop.quittance(...args.map((word) => word.replace('$WEBHOOK_SECRET', secret)));
  expect(output.match(/^✓/gm)).toHaveLength(17);
});

describe('the clients in other languages, as the guide uses them', () => {
  test.each([
    ['python3', 'buy.py', 'quittance-python'],
    ['php', 'buy.php', 'quittance-php'],
  ])('%s installs the served package, and buys', async (program, file, name) => {
    if (!isInstalled(program)) return console.warn(`${file}${skippedNote(program)}`);
    const { raw } = await download(`${app.url}/docs/${name}.tar.gz`);
    await writeFile(join(project.folder, `${name}.tar.gz`), raw);
    const output = await project.shell(
      `tar xzf ${name}.tar.gz; ${program === 'php' ? '' : `export PYTHONPATH=${name}; `}${program} ${file}`,
    );
    const [session, error] = output.trim().split('\n');
    expect(session).toMatch(new RegExp(`^created ${app.config.publicUrl}/checkout/cs_`));
    expect(error).toBe('invalid_checkout_session amount');
  });
});

async function download(url: string) {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return { raw: Buffer.from(await answer.arrayBuffer()) };
}
