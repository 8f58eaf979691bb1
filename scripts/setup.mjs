// Installs and builds what is missing or stale; the launcher (run.mjs) calls it before it runs anything.
// Plain JavaScript with nothing but Node's own modules, because on a fresh clone there is nothing else, and the Node
// that runs it may be old: the one that runs everything afterwards comes with the packages.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.quittance-lockfile');
const lockFile = join(root, '.cache', 'setup.lock');
/** What a service needs to be built and to run. Everything else is for tests, checks and releases. */
export const SERVICE = ['contract', 'server', 'web', 'sdk', 'cli', 'integrations'];
/** The workspace of the packaged Node. */
const NODE = 'scripts/node';
const isProduction =
  (process.env.PROFILE ?? settingOf('PROFILE')) === 'production' || process.env.NODE_ENV === 'production';

export function build() {
  withLock(buildStale);
}

/** `service` installs what a service needs, `all` also what tests and checks need. */
export function setUp(scope) {
  if (isReady(scope)) return;
  withLock(() => {
    if (!isInstalled(scope)) install(scope);
    requireNode();
    if (!isBuilt()) buildUnlessInProduction();
  });
}

function isReady(scope) {
  if (!isInstalled(scope)) return false;
  requireNode();
  return isBuilt();
}

// Packages

function isInstalled(scope) {
  const lockfile = readText(join(root, 'package-lock.json'));
  const hash = hashOf(lockfile);
  const [hashThere, scopeThere] = readText(stampFile).split(' ');
  if (hashThere === hash && (scopeThere === 'all' || scopeThere === scope)) return true;
  if (!fits(JSON.parse(lockfile).packages, readText(join(modules, '.package-lock.json')), scope)) return false;

  // Correctly installed by hand.
  writeFileSync(stampFile, `${hash} ${scope}`);
  return true;
}

/** Whether npm's installed packages match the lockfile. */
function fits(locked, installed, scope) {
  if (!installed) return false;
  const there = JSON.parse(installed).packages;
  const wanted = scope === 'all' ? Object.keys(locked) : neededBy(locked, SERVICE);
  return wanted.every((path) => {
    const entry = locked[path];
    return entry.optional || entry.link || !path.startsWith('node_modules/') || there[path]?.version === entry.version;
  });
}

/** The lockfile's paths of everything that these workspaces depend on, directly or not. */
export function neededBy(locked, workspaces) {
  const found = new Set(workspaces);
  for (const path of found) {
    const { dependencies, devDependencies, link, resolved } = locked[path];
    if (link) found.add(resolved);
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const place = placeOf(locked, path, name);
      if (place) found.add(place);
    }
  }
  return [...found];
}

/** Where Node finds a package, from the folder of the one that needs it up to the root. */
function placeOf(locked, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder ? `${folder}/` : ''}node_modules/${name}`;
    if (locked[place]) return place;
    if (!folder) return undefined;
  }
}

function install(scope) {
  if (isProduction)
    stop(
      'The packages are missing or older than package-lock.json. In production nothing is installed on ' +
        'its own: run `npm ci` and `npm run build` first.',
    );
  const quiet = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const isAdding = scope === 'all' && isInstalled('service');
  // An installation that had everything once will need it again.
  const scopeNow = readText(stampFile).endsWith(' all') ? 'all' : scope;
  if (isAdding) {
    say('installing what tests and checks need (npm install)');
    // Only adds files, so a service may go on running.
    npm(['install', '--no-save', ...quiet]);
  } else {
    requireNothingRunning();
    say('installing packages (npm ci)');
    const workspaces = [...SERVICE, ...(isOwnNodeNewEnough() && !hasNode() ? [] : [NODE])];
    npm(['ci', ...(scopeNow === 'all' ? [] : workspaces.flatMap((name) => ['-w', name])), ...quiet]);
  }
  // Headers for compiling native packages, of which there are none. They are a third of the packaged Node.
  for (const name of readdirSync(modules).filter((folder) => /^node-(linux|win)-/.test(folder)))
    rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  writeFileSync(stampFile, `${hashOf(readText(join(root, 'package-lock.json')))} ${scopeNow}`);
}

function requireNothingRunning() {
  const running = findRunning();
  if (running)
    stop(
      `The packages are older than package-lock.json, and process ${running} is still running from them. Stop it, then start again.`,
    );
}

/**
 * A process, except this one and its parents, whose program is in node_modules: npm ci would delete it while it runs.
 */
function findRunning() {
  const above = new Set([process.pid]);
  for (let pid = process.ppid; pid > 1 && !above.has(pid); pid = parentOf(pid)) above.add(pid);
  for (const [pid, program] of programs()) {
    if (!above.has(pid) && program.startsWith(modules)) return pid;
  }
  return undefined;
}

function programs() {
  if (existsSync('/proc/self/exe')) {
    return readdirSync('/proc')
      .filter((name) => /^[0-9]+$/.test(name))
      .map((name) => [Number(name), attempt(() => readlinkSync(`/proc/${name}/exe`)) ?? '']);
  }
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .map((line) => /^\s*([0-9]+)\s+(.*)$/.exec(line))
    .filter(Boolean)
    .map(([, pid, command]) => [Number(pid), command]);
}

function parentOf(pid) {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return Number(/^PPid:\s*([0-9]+)/m.exec(status)?.[1] ?? 0);
}

/** The pinned Node is an optional package. A machine that it does not support needs a new enough Node of its own. */
function requireNode() {
  if (hasNode()) return;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  if (existsSync(join(modules, name))) {
    // npm 9 removes the link together with the packages for other platforms, which have a link of the same name.
    npm(['rebuild', name, '--ignore-scripts', '--loglevel=error']);
    if (hasNode()) return;
  }
  if (isOwnNodeNewEnough()) return;
  stop(
    `There is no packaged Node for this machine (${process.platform} ${process.arch}), and yours is ` +
      `${process.version}. Install Node 24 (at least 22.18).`,
  );
}

function isOwnNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function hasNode() {
  return existsSync(join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'));
}

// Builds

/** The builds for browsers and other packages, in this order; a stamp beside each result identifies its sources. */
function builds() {
  return ['sdk', 'web', 'cli', 'integrations'].filter(
    (name) => JSON.parse(readText(join(root, name, 'package.json')) || '{}').scripts?.build,
  );
}

function isBuilt() {
  return builds().every((name) => readText(join(root, name, 'dist', '.built-from')) === sourcesOf(name));
}

function buildUnlessInProduction() {
  // A running service may be using the files that would be overwritten.
  if (isProduction)
    stop(
      'What is built is older than its sources. In production nothing is built on its own: run `npm run build` first.',
    );
  buildStale();
}

function buildStale() {
  for (const name of builds()) {
    const sources = sourcesOf(name);
    if (readText(join(root, name, 'dist', '.built-from')) === sources) continue;
    say(`building ${name}`);
    npm(['run', 'build', '--workspace', name, '--silent']);
    mkdirSync(join(root, name, 'dist'), { recursive: true });
    writeFileSync(join(root, name, 'dist', '.built-from'), sources);
  }
}

function sourcesOf(name) {
  const hash = createHash('sha256');
  for (const folder of [name, 'contract', 'sdk']) {
    for (const file of filesBelow(join(root, folder)))
      hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.update(readText(join(root, 'package-lock.json'))).digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) =>
        !['node_modules', 'dist'].includes(entry.name) &&
        !entry.name.startsWith('.') &&
        !/\.(test\.tsx?|tsbuildinfo)$/.test(entry.name),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

// Plain helpers

/** Of two concurrent first starts, one works; the other waits and finds everything done. */
function withLock(work) {
  mkdirSync(dirname(lockFile), { recursive: true });
  while (
    !attempt(() => {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return true;
    })
  ) {
    const holder = Number(readText(lockFile));
    if (holder && !isAlive(holder)) rmSync(lockFile, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  const unlock = () => rmSync(lockFile, { force: true });
  process.on('exit', unlock);
  work();
  // Now, not at the end of the program: a service runs for days, and tests beside it install what they need.
  unlock();
  process.off('exit', unlock);
}

function npm(args) {
  const { npm_execpath: program, npm_node_execpath: node } = process.env;
  // npm's own Node, because the installation deletes the packaged one and writes it again.
  const [command, rest] = program && node ? [node, [program, ...args]] : ['npm', args];
  const { status, error } = spawnSync(command, rest, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0) stop(`\`npm ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}.`);
}

/** From the file that npm's scripts pass to the service. */
function settingOf(name) {
  return new RegExp(`^${name}=["']?(\\w+)`, 'm').exec(readText(join(root, '.env')))?.[1];
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex');
}

function readText(file) {
  return attempt(() => readFileSync(file, 'utf8')) ?? '';
}

function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function say(text) {
  process.stderr.write(`quittance: ${text}\n`);
}

function stop(text) {
  say(text);
  process.exit(1);
}
