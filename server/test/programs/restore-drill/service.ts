import { fileURLToPath } from 'node:url';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { runToEnd, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The service as an operator runs it: a process that is started and killed, and commands beside it. */
export class Service {
  readonly url: string;
  readonly #env: Record<string, string>;
  #running: ServiceProcess | undefined;

  static async prepare(env: Record<string, string>): Promise<Service> {
    return new Service(await freePort(), env);
  }

  private constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { ...env, PORT: String(port) };
  }

  async start(): Promise<void> {
    this.#running = await startServiceProcess(fileOf('src/main.ts'), this.#env);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#running?.end(signal);
  }

  /** One of the operator's commands. */
  async command(...args: string[]): Promise<{ code: number | null; output: string }> {
    const env = { PATH: process.env.PATH, ...this.#env, PORT: '0' };
    const { code, output, errors } = await runToEnd([fileOf('bin/quittance-server.js'), ...args], env);
    return { code, output: output + errors };
  }
}
