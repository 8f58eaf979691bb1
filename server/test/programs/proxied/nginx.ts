import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { endProcess } from '../../support/service-process.ts';

const START_TIMEOUT_MS = 20_000;
const NAME = 'pay.example.com';

export interface Nginx extends AsyncDisposable {
  tlsPort: number;
  plainPort: number;
}

/** The example of deploy/nginx as it is, except for its ports, its certificate and the port of the service. */
export function exampleIn(
  folder: string,
  root: string,
  ports: { tls: number; plain: number; service: number },
): string {
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' });
  const example = readFileSync(join(root, 'deploy/nginx/quittance.conf'), 'utf8')
    .replace('server 127.0.0.1:3000;', `server 127.0.0.1:${ports.service};`)
    .replace(/listen 443 ssl;\n.*listen \[::\]:443 ssl;/, `listen 127.0.0.1:${ports.tls} ssl;`)
    .replace(/listen 80;\n.*listen \[::\]:80;/, `listen 127.0.0.1:${ports.plain};`)
    .replace(/access_log \/\S+/, `access_log ${join(folder, 'access.log')}`)
    .replace(/error_log \/\S+/, `error_log ${join(folder, 'error.log')}`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log ` +
      `off;\n${temporary.join('\n')}\n${example}}\n`,
  );
  return file;
}

/** nginx with the example in front of the service. */
export async function startNginx(root: string, servicePort: number): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-nginx-'));
  // Its workers run as another user.
  chmodSync(folder, 0o755);
  const ports = { tls: await freePort(), plain: await freePort(), service: servicePort };
  const file = exampleIn(folder, root, ports);
  const child = spawn('/usr/sbin/nginx', ['-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] });
  await untilListening(child, ports.tls);
  return {
    tlsPort: ports.tls,
    plainPort: ports.plain,
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const endAt = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < endAt && child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
  throw new Error('nginx did not start');
}
