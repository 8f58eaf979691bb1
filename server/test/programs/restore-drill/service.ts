import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';

const SERVER = fileURLToPath(new URL('../../../', import.meta.url));
const START_TIMEOUT_MS = 120_000;

/** The service as an operator runs it: a process that is started and killed, and commands beside it. */
export class Service {
  readonly url: string;
  readonly #port: number;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;

  static async prepare(env: Record<string, string>): Promise<Service> {
    return new Service(await freePort(), env);
  }

  private constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#port = port;
    this.#env = env;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [join(SERVER, 'src/main.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, ...this.#env, PORT: String(this.#port) },
    });
    this.#child = child;
    const endAt = performance.now() + START_TIMEOUT_MS;
    while (!(await fetch(`${this.url}/healthz`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null || performance.now() > endAt) throw new Error('the service did not start');
      await pause(50);
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }

  /** One of the operator's commands. */
  async command(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [join(SERVER, 'bin/quittance-server.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...this.#env, PORT: '0' },
    });
    const gone = once(child, 'exit');
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await gone)[0] as number | null, output: output + errors };
  }
}
