import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { giveToPostgres } from '../../support/as-postgres.ts';
import { killProgram, postgresProcesses, signalAll, startProgram } from './processes.ts';

export const PATRONI_NEEDS = {
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/patronictl': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
};

const DEPLOY = new URL('../../../../deploy/patroni/', import.meta.url);
const WAIT_TIMEOUT_MS = 120_000;

interface Node {
  name: string;
  port: number;
  restPort: number;
  config: string;
  dataDir: string;
  patroni: ChildProcess | undefined;
}

interface Member {
  name: string;
  role: string;
  state: string;
}

/** Three nodes of PostgreSQL under Patroni, with etcd and HAProxy, by the files of `deploy/patroni` on local addresses. */
export class PatroniCluster {
  /** Leads to the primary. */
  url = '';
  readonly #folder: string;
  readonly #nodes: Node[] = [];
  readonly #others: ChildProcess[] = [];

  static async start(folder: string, stack: AsyncDisposableStack): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(folder);
    stack.defer(() => cluster.stop());
    giveToPostgres(folder);
    await chmod(folder, 0o755);
    await cluster.#startEtcdAndNodes();
    await cluster.#startHaproxy();
    await cluster.synchronous();
    await cluster.#createDatabase();
    return cluster;
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The running primary, if the nodes that are reached know one. */
  async primary(): Promise<string | undefined> {
    return (await this.#members()).find(({ role, state }) => role === 'leader' && state === 'running')?.name;
  }

  /** Waits until a standby is synchronous, so that losing the primary loses nothing; and until all nodes stream. */
  async synchronous(): Promise<void> {
    await until('all nodes to stream', async () => {
      const members = await this.#members();
      const isStreaming = members.every(({ state }) => state === 'running' || state === 'streaming');
      const roles = members.map(({ role }) => role);
      return (
        members.length === this.#nodes.length &&
        isStreaming &&
        roles.includes('sync_standby') &&
        roles.includes('leader')
      );
    });
  }

  /** SIGKILL to all of its processes, as if the machine had lost power. */
  async killMachine(name: string): Promise<void> {
    const node = this.#node(name);
    const pids = postgresProcesses(node.dataDir);
    signalAll(pids, 'SIGKILL');
    await killProgram(node.patroni);
  }

  /** SIGKILL to PostgreSQL; Patroni lives. */
  async killPostgres(name: string): Promise<void> {
    signalAll(postgresProcesses(this.#node(name).dataDir), 'SIGKILL');
  }

  /** Nothing of the machine answers, and nothing of it ends. */
  async freeze(name: string): Promise<void> {
    const node = this.#node(name);
    signalAll([...postgresProcesses(node.dataDir), node.patroni?.pid ?? 0].filter(Boolean), 'SIGSTOP');
  }

  async thaw(name: string): Promise<void> {
    const node = this.#node(name);
    signalAll([...postgresProcesses(node.dataDir), node.patroni?.pid ?? 0].filter(Boolean), 'SIGCONT');
  }

  /** A planned change of the primary. */
  async switchOver(name: string): Promise<void> {
    const args = ['-c', this.#node(name).config, 'switchover', '--force', 'quittance'];
    const child = startProgram('/usr/bin/patronictl', args, join(this.#folder, 'patronictl.log'), this.#folder);
    await new Promise((resolve) => child.once('exit', resolve));
  }

  /** Starts Patroni on a node that was killed. */
  startNode(name: string): void {
    const node = this.#node(name);
    if (node.patroni && node.patroni.exitCode === null && node.patroni.signalCode === null) return;
    const log = join(this.#folder, `${name}.log`);
    node.patroni = startProgram('/usr/bin/patroni', [node.config], log, this.#folder);
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) {
      await killProgram(node.patroni);
      signalAll(postgresProcesses(node.dataDir), 'SIGKILL');
    }
    for (const child of this.#others) await killProgram(child);
  }

  async #startEtcdAndNodes(): Promise<void> {
    const [client, peer] = [await freePort(), await freePort()];
    const at = (port: number) => `http://127.0.0.1:${port}`;
    const data = join(this.#folder, 'etcd');
    const clients = ['--listen-client-urls', at(client), '--advertise-client-urls', at(client)];
    const peers = ['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)];
    const args = ['--data-dir', data, ...clients, ...peers, '--initial-cluster', `default=${at(peer)}`];
    this.#others.push(startProgram('/usr/bin/etcd', args, join(this.#folder, 'etcd.log'), this.#folder));
    for (const name of ['node1', 'node2', 'node3']) {
      const node: Node = {
        name,
        port: await freePort(),
        restPort: await freePort(),
        config: join(this.#folder, `${name}.yml`),
        dataDir: join(this.#folder, name),
        patroni: undefined,
      };
      this.#nodes.push(node);
      await writeFile(node.config, await this.#configOf(node, client), { mode: 0o644 });
      this.startNode(name);
    }
  }

  async #configOf(node: Node, etcdPort: number): Promise<string> {
    const template = await readFile(new URL('patroni.yml', DEPLOY), 'utf8');
    const sockets = join(this.#folder, 'sockets');
    await mkdir(sockets, { recursive: true });
    giveToPostgres(sockets);
    return template
      .replace('name: node1', `name: ${node.name}`)
      .replaceAll('10.0.0.11:8008', `127.0.0.1:${node.restPort}`)
      .replaceAll('10.0.0.11:5432', `127.0.0.1:${node.port}`)
      .replace(/hosts: .*/, `hosts: 127.0.0.1:${etcdPort}`)
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
      .replace('/var/lib/postgresql/15/quittance.pgpass', `${node.dataDir}.pgpass`)
      .replace('/var/lib/postgresql/15/quittance', node.dataDir)
      .replace('/run/postgresql', sockets);
  }

  async #startHaproxy(): Promise<void> {
    const port = await freePort();
    let config = await readFile(new URL('haproxy.cfg', DEPLOY), 'utf8');
    config = config.replace('127.0.0.1:5000', `127.0.0.1:${port}`);
    for (const [at, node] of this.#nodes.entries())
      config = config.replace(
        `10.0.0.1${at + 1}:5432 check port 8008`,
        `127.0.0.1:${node.port} check port ${node.restPort}`,
      );
    const file = join(this.#folder, 'haproxy.cfg');
    await writeFile(file, config, { mode: 0o644 });
    this.#others.push(
      startProgram('/usr/sbin/haproxy', ['-db', '-f', file], join(this.#folder, 'haproxy.log'), this.#folder),
    );
    this.url = `postgres://quittance:replace-quittance@127.0.0.1:${port}/quittance`;
  }

  async #createDatabase(): Promise<void> {
    const url = Object.assign(new URL(this.url), {
      username: 'postgres',
      password: 'replace-postgres',
      pathname: '/postgres',
    });
    await until('HAProxy to find the primary', async () => {
      const client = new pg.Client({ connectionString: url.href });
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query(`create role quittance login password 'replace-quittance'`);
        await client.query('create database quittance owner quittance');
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    });
  }

  async #members(): Promise<Member[]> {
    for (const { restPort } of this.#nodes) {
      const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(500) }).catch(
        () => undefined,
      );
      if (response?.ok) return ((await response.json()) as { members?: Member[] }).members ?? [];
    }
    return [];
  }

  #node(name: string): Node {
    const node = this.#nodes.find((one) => one.name === name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  }
}

/** Polls until it is true, at most for two minutes. */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const endAt = performance.now() + WAIT_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() > endAt) throw new Error(`waited too long for ${what}`);
    await pause(100);
  }
}
