import type { Command } from '../command.ts';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ConnectionError } from '@quittance/sdk';
import { reasonOf } from '../forward.ts';
import { connect, type Profile, readProfile, saveProfile, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { say, type Terminal } from '../terminal.ts';

/** Logs in by a code from a mail and creates a test key. */
export const login: Command = {
  name: 'login',
  usage: 'quittance login [--email you@example.com] [--invitation LINK] [--url URL]',
  summary: 'Log in by email and save a test key. An invitation or setup link opens the account.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: { ...SHARED_OPTIONS, email: { type: 'string' }, invitation: { type: 'string' } },
    });
    const url = await serviceUrl(terminal, values);
    using prompt = openPrompt(terminal);
    const email = values.email ?? (await prompt.ask('Email: '));
    // The whole link or its token.
    const invitation = values.invitation?.split('#invitation=').at(-1);
    await post(url, '/v1/auth/email/start', { email, ...(invitation && { invitation }) });
    if (/^https?:\/\/(localhost|127\.)/.test(url))
      say(terminal, `A development server shows its emails at ${url}/dev/mail.`);
    const code = await prompt.ask('The six-character code from the email: ');
    const { session_token: token } = await post<{ session_token: string }>(url, '/v1/auth/email/verify', {
      email,
      code: code.trim(),
    });

    const { secret } = await connect(token, url).apiKeys.create({ mode: 'test', label: 'command line' });
    const liveKey = await liveKeyOf(await readProfile(terminal), { url, token });
    const path = await saveProfile(terminal, { url, token, key: secret, ...(liveKey && { live_key: liveKey }) });
    say(terminal, `Logged in as ${email}. A test key is saved in ${path}.`);
    return undefined;
  },
};

/** The saved live key, if it is of this account. It is sent to no other server than its own. */
async function liveKeyOf(saved: Profile, { url, token }: { url: string; token: string }): Promise<string | undefined> {
  if (saved.live_key === undefined || saved.url !== url) return undefined;
  const accounts = [saved.live_key, token].map((credential) => connect(credential, url).account.retrieve());
  const [its, own] = await Promise.all(accounts).catch(() => []);
  return its !== undefined && its.id === own?.id ? saved.live_key : undefined;
}

function openPrompt(terminal: Terminal) {
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    async ask(question: string): Promise<string> {
      terminal.stderr.write(question);
      const { value, done } = await iterator.next();
      if (done) throw new Error(`No answer to "${question.trim()}".`);
      return value as string;
    },
    [Symbol.dispose]() {
      lines.close();
    },
  };
}

async function post<T>(url: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: Error) => {
    throw new ConnectionError(`${url} is unreachable: ${reasonOf(error)}`, { cause: error });
  });
  const answer = (await response.json().catch(() => ({}))) as { data?: T; error?: { code: string; message: string } };
  if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  if (!answer.data)
    throw new Error(`${url} answered ${response.status}, which is not a Quittance response. Check the URL.`);
  return answer.data;
}
