import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { debianMirror } from '../../support/system-packages.ts';

const run = promisify(execFile);
const BOOT_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 300_000;

/** A Debian 12 with nothing on it, in a folder, that is reached by a name. Its network is this machine's. */
export interface Machine extends AsyncDisposable {
  folder: string;
  /** Runs commands in root's shell, as one who is logged in, and returns what they printed. */
  shell(commands: string): Promise<string>;
  boot(): Promise<void>;
  shutDown(): Promise<void>;
}

export function makeMachine(name: string): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-machine-'));
  chmodSync(folder, 0o755);
  const flags = ['--variant=minbase', '--include=systemd-sysv,dbus,ca-certificates'];
  execFileSync('debootstrap', [...flags, 'bookworm', folder, debianMirror()], { stdio: 'ignore' });
  writeFileSync(join(folder, 'etc/hosts'), `127.0.0.1 localhost ${name}\n`);
  let init: number | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  return {
    folder,
    async boot() {
      const options = ['--quiet', '--register=no', '--keep-unit', '--resolv-conf=copy-host', '--link-journal=no'];
      const container = spawn('systemd-nspawn', ['--boot', ...options, '--directory', folder], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      ended = once(container, 'exit');
      const endAt = performance.now() + BOOT_TIMEOUT_MS;
      do {
        await pause(200);
        if (container.exitCode !== null) throw new Error('the machine did not start');
        if (performance.now() > endAt) throw new Error('the machine was not up in time');
        init ??= initOf(container.pid as number);
      } while (!init || !isUp(init));
    },
    async shell(commands) {
      if (!init) throw new Error('the machine is off');
      try {
        // Not synchronous: the mail server and the chain of this program answer meanwhile.
        return (await run('nsenter', inside(init, commands), { timeout: COMMAND_TIMEOUT_MS })).stdout;
      } catch (error) {
        const log = 'journalctl -u quittance -u caddy -o cat --no-pager -n 40';
        process.stderr.write(spawnSync('nsenter', inside(init, log), { encoding: 'utf8' }).stdout);
        throw error;
      }
    },
    async shutDown() {
      if (!init) return;
      spawnSync('nsenter', inside(init, 'systemctl poweroff'), { stdio: 'ignore' });
      init = undefined;
      await ended;
    },
    async [Symbol.asyncDispose]() {
      await this.shutDown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function inside(init: number, commands: string): string[] {
  const env = ['env', '-i', 'HOME=/root', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];
  return ['--target', String(init), '--all', ...env, 'bash', '-euo', 'pipefail', '-c', `cd /root\n${commands}`];
}

function isUp(init: number): boolean {
  try {
    execFileSync('nsenter', inside(init, 'systemctl is-system-running --wait || true'), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The process that is number 1 inside. */
function initOf(container: number): number | undefined {
  const all = globSync('/proc/[0-9]*/status').flatMap((file) => {
    try {
      const text = readFileSync(file, 'utf8');
      const parent = Number(/^PPid:\s+(\d+)/m.exec(text)?.[1]);
      const ids = /^NSpid:\s+(.*)/m.exec(text)?.[1]?.split(/\s+/).map(Number) ?? [];
      return [{ id: ids[0] as number, parent, isFirst: ids.length > 1 && ids.at(-1) === 1 }];
    } catch {
      return [];
    }
  });
  const below = (id: number): typeof all =>
    all.filter(({ parent }) => parent === id).flatMap((child) => [child, ...below(child.id)]);
  return below(container).find(({ isFirst }) => isFirst)?.id;
}
