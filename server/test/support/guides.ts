import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);
const GUIDES = new URL('docs/guides/', ROOT);
const CLI = fileURLToPath(new URL('cli/bin/quittance.js', ROOT));

export interface Block {
  guide: string;
  language: string;
  /** The file name for the reader; empty if it is a shell command. */
  file: string;
  text: string;
}

/** A reader's project: every program of the guides as printed, with the client installed. */
export interface Project extends AsyncDisposable {
  folder: string;
  blocks: Block[];
  /** Runs a program to its end and returns its output. */
  node(file: string, ...args: string[]): Promise<string>;
  quittance(...args: string[]): Promise<string>;
  /** Runs a program until the project is disposed. Returns its lines one by one. */
  serve(file: string, ...args: string[]): Lines;
  listen(...args: string[]): Lines;
  /** Installs what the `npm install` in a text names, from the packages that are here. */
  install(text: string): Promise<void>;
  /** Runs a shell command with its placeholders replaced. */
  shell(command: string): Promise<string>;
  /** The text of the block without a name that begins so. */
  block(guide: string, beginning: string): string;
  /** The arguments of each `npx --no quittance …` in such a block. */
  commands(guide: string, beginning: string): string[][];
}

export interface Lines {
  /** The next matching line, on either output. */
  line(fits: RegExp): Promise<string>;
}

/** Reads the fenced code blocks. ```` ```js checkout.mjs ```` names the file. */
export async function readBlocks(): Promise<Block[]> {
  const names = (await readdir(GUIDES)).filter((name) => name.endsWith('.md'));
  const blocks = await Promise.all(
    names.map(async (guide) =>
      [...(await readFile(new URL(guide, GUIDES), 'utf8')).matchAll(/^ *```(\w*) ?(.*)\n([\s\S]*?)^ *```$/gm)].map(
        ([, language = '', file = '', text = '']) => ({ guide, language, file, text }),
      ),
    ),
  );
  return blocks.flat();
}

/** A block of a guide as it is printed, by its file name or its beginning. */
export async function readBlock(guide: string, name: string): Promise<string> {
  return textOf(await readBlocks(), guide, name);
}

function textOf(blocks: readonly Block[], guide: string, name: string): string {
  const found = blocks.find((one) => one.guide === guide && (one.file || one.text).startsWith(name));
  if (!found) throw new Error(`${guide} has no block ${name}`);
  return found.text;
}

/** Follows the guides against the service at `url`; the ports of receivers (4000) and shops (4001) become a free one. */
export async function startProject(options: {
  url: string;
  key: string;
  port: number;
  env?: Record<string, string>;
}): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'quittance-guides-'));
  await mkdir(join(folder, 'node_modules/@quittance'), { recursive: true });
  for (const name of ['sdk', 'integrations'])
    await symlink(fileURLToPath(new URL(name, ROOT)), join(folder, 'node_modules/@quittance', name), 'dir');
  const here = (text: string) =>
    text.replaceAll('http://localhost:3000', options.url).replaceAll(/\b400[01]\b/g, String(options.port));
  const blocks = (await readBlocks()).map((block) => ({ ...block, text: here(block.text) }));
  for (const { file, text } of blocks.filter((block) => block.file)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }

  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    QUITTANCE_URL: options.url,
    QUITTANCE_KEY: options.key,
    ...options.env,
  };
  const children: ReturnType<typeof spawn>[] = [];
  const run = (program: string, args: string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile(program, args, { cwd: folder, env }, (error, stdout, stderr) =>
        error ? reject(new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)) : resolve(stdout),
      );
    });
  const follow = (args: string[]): Lines => {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const lines: string[] = [];
    const waiting: { fits: RegExp; take: (line: string) => void }[] = [];
    const add = (line: string) => {
      const first = waiting.findIndex(({ fits }) => fits.test(line));
      if (first >= 0) waiting.splice(first, 1)[0]?.take(line);
      else lines.push(line);
    };
    for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', add);
    return {
      line: (fits) =>
        new Promise((take) => {
          const first = lines.findIndex((line) => fits.test(line));
          if (first >= 0) take(lines.splice(first, 1)[0] as string);
          else waiting.push({ fits, take });
        }),
    };
  };

  const block = (guide: string, beginning: string) => textOf(blocks, guide, beginning);

  return {
    folder,
    blocks,
    node: (...args) => run(process.execPath, args),
    quittance: (...args) => run(process.execPath, [CLI, ...args]),
    async install(text) {
      const names = /^npm install (.+)$/m.exec(text)?.[1]?.split(' ') ?? [];
      for (const name of names) {
        await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
        await symlink(fileURLToPath(new URL(`node_modules/${name}`, ROOT)), join(folder, 'node_modules', name), 'dir');
      }
    },
    shell: (command) => run('sh', ['-ec', command]),
    block,
    commands: (...of) =>
      [...block(...of).matchAll(/npx --no quittance ([^&)\n]+)/g)].map(([, args = '']) => args.trim().split(' ')),
    serve: (...args) => follow(args),
    listen: (...args) => follow([CLI, 'listen', ...args]),
    async [Symbol.asyncDispose]() {
      await Promise.all(
        children
          .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
          .map(
            (child) =>
              new Promise((resolve) => {
                child.once('exit', resolve);
                child.kill('SIGKILL');
              }),
          ),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}
