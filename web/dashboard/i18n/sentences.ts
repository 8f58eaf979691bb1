import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Every sentence in the sources, by its key in the catalogs, and whether it has plural forms. */
export function usedSentences(): Map<string, { isCounted: boolean }> {
  const sources = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['i18n/**'] })
    .map((file) => readFileSync(folder + file, 'utf8'))
    .join('\n');
  const text = `'((?:[^'\\\\]|\\\\.)*)'`;
  const found = (pattern: string) =>
    [...sources.matchAll(new RegExp(pattern, 'g'))].map(([, sentence]) => sentence as string);
  const plain = [
    ...found(`\\bt\\(\\s*${text}`),
    // Choices between two sentences.
    ...[...sources.matchAll(/\bt\([^()']*\?\s*'((?:[^'\\]|\\.)*)'\s*:\s*'((?:[^'\\]|\\.)*)',?\s*\)/g)].flatMap(
      ([, one, other]) => [one as string, other as string],
    ),
    // Names in tables, and the errors of wallets.
    ...found(`\\bname:\\s*${text}`).filter((name) => /^[A-Z0-9]/.test(name)),
    ...found(`^ {2}\\w+:\\s+${text},?$`.replace('^', '(?:^|\\n)').replace('$', '(?=\\n)')).filter(
      (sentence) => / |^[A-Z]/.test(sentence) && !/^[MmLl]\d|^bg-|hover:/.test(sentence),
    ),
    ...found(`\\]\\s*\\?\\?\\s*${text},?\\s*\\)`).filter((sentence) => / /.test(sentence)),
    ...found(`new WalletRefusedError\\(\\s*${text}`),
    ...[...sources.matchAll(/^(?:export )?const \w+_NAMES[^{]*\{([^}]*)\}/gm)].flatMap(([, table]) =>
      [...(table as string).matchAll(/:\s*'([^']+)'/g)].map(([, name]) => name as string),
    ),
  ];
  const counted = [...sources.matchAll(/\{\s*one:\s*'[^']*',\s*other:\s*'([^']*)',?\s*\}/g)].map(
    ([, sentence]) => sentence as string,
  );
  return new Map<string, { isCounted: boolean }>([
    ...plain.map((sentence) => [sentence, { isCounted: false }] as const),
    ...counted.map((sentence) => [sentence, { isCounted: true }] as const),
  ]);
}
