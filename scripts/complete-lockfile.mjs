// `node scripts/complete-lockfile.mjs`, after `npm install` has added a package. Packages with native parts name one
// optional package per platform. If a registry does not have all of them, npm leaves those out of the lockfile, and
// then `npm ci` rejects the lockfile everywhere. The missing entries follow from the package that names them: name,
// version, and the platform in the name. Without a checksum, because only the registry knows it.
import { readFileSync, writeFileSync } from 'node:fs';

export const LOCKFILE = new URL('../package-lock.json', import.meta.url);

/** The entries that the packages name and the lockfile lacks, by their path. */
export function missingEntries(lockfile) {
  const missing = {};
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const known = placesOf(path, name)
        .map((place) => lockfile.packages[place] ?? missing[place])
        .find(Boolean);
      if (known || !/^[0-9]/.test(version)) continue;
      missing[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      };
    }
  }
  return missing;
}

/** Where Node would look for a package, from the innermost folder out. */
function placesOf(path, name) {
  const folders = path.split('/node_modules/');
  const places = folders.map(
    (_, depth) => `${folders.slice(0, folders.length - depth).join('/node_modules/')}/node_modules/${name}`,
  );
  return [...places, `node_modules/${name}`];
}

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'windows',
];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];

function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = words.find((word) => SYSTEMS.includes(word))?.replace('windows', 'win32');
  const cpu = words.find((word) => PROCESSORS.includes(word));
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu')) && os === 'linux'
      ? 'glibc'
      : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}

if (process.argv[1] && import.meta.url.endsWith(process.argv[1].split('/').at(-1))) {
  const lockfile = JSON.parse(readFileSync(LOCKFILE, 'utf8'));
  const missing = missingEntries(lockfile);
  const packages = { ...lockfile.packages, ...missing };
  lockfile.packages = Object.fromEntries(
    Object.keys(packages)
      .sort((a, b) => (a < b ? -1 : 1))
      .map((path) => [path, packages[path]]),
  );
  writeFileSync(LOCKFILE, `${JSON.stringify(lockfile, null, 2)}\n`);
  console.log(`${Object.keys(missing).length} platform packages added to package-lock.json`);
}
