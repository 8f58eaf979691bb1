import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  path: string;
  text: string;
  /** Paths below the root, without external packages. */
  imports: string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const GENERATED = /\.gen\.ts$/;

/** Every file of code, tests included. */
export function readSources(): Source[] {
  return readFiles('{contract,server,web,sdk,cli,clients,integrations,e2e,bench,scripts}/**/*.{ts,tsx,mjs,css,sql}');
}

/** The files that a pattern matches, without installed and built ones. */
export function readFiles(pattern: string): Source[] {
  const exclude = (name: string) => /(^|\/)(node_modules|dist|data|output|generated)$/.test(name);
  return globSync(pattern, { cwd: root, exclude }).map(read);
}

export function isTest({ path }: Pick<Source, 'path'>): boolean {
  return /\.test\.tsx?$/.test(path) || /(^|\/)test\//.test(path) || path.startsWith('e2e/');
}

function read(file: string): Source {
  const path = file.replaceAll('\\', '/');
  const text = readFileSync(join(root, file), 'utf8');
  const found = /\.(ts|tsx)$/.test(path)
    ? [...text.matchAll(/^(?:import|export)\b[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm)]
    : [];
  return {
    path,
    text,
    imports: found.map(([, a, b, c]) => target(path, (a ?? b ?? c) as string)).filter((name) => name !== undefined),
  };
}

/** The path of an import below the root; undefined for external packages. */
function target(from: string, name: string): string | undefined {
  if (name.startsWith('.')) return relative(root, resolve(root, dirname(from), name)).replaceAll('\\', '/');
  const own = /^@quittance\/([a-z]+)(.*)$/.exec(name);
  return own ? `${own[1]}${own[2] || '/'}` : undefined;
}

export function show({ path, number, line }: { path: string; number: number; line: string }): string {
  return `${path}:${number} ${line.trim()}`;
}
