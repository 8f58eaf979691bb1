import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readDeclarations } from './support/declarations.ts';
import { GENERATED, isTest, readSources, type Source, show } from './support/sources.ts';

// Rules that a reviewer would miss. Each failing line names the place and the correction.
const MAX_LINES = 400;

const sources = readSources();
const server = sources.filter(({ path }) => path.startsWith('server/src/'));

test('there is something to look at', () => {
  expect(server.length).toBeGreaterThan(50);
  expect(server.flatMap((source) => source.imports).length).toBeGreaterThan(100);
});

/** The allowed imports of each place, by the beginning of the path. */
const DIRECTIONS: [from: RegExp, allowed: RegExp, why: string][] = [
  [/^contract\//, /^contract\//, 'the contract imports only itself'],
  [
    /^server\/src\/platform\//,
    /^(server\/src\/platform|contract)\//,
    'the platform knows nothing of payments: platform and contract only',
  ],
  [
    /^server\/src\/outside\/[^/]+\//,
    /^(server\/src\/(outside|platform|config\.ts)|contract)/,
    'the outside knows nothing of the nouns: outside, platform and contract only',
  ],
  [
    /^server\/src\/settlement\//,
    /^(server\/src\/(settlement|platform|context\.ts|job\.ts|outside)|contract)/,
    'settlement knows neither the doors nor the nouns of the API',
  ],
  [
    /^server\/src\/resources\//,
    /^(server\/src\/(resources|settlement|platform|context\.ts|job\.ts|outside)|contract|web)/,
    'nouns know neither the doors nor app.ts',
  ],
  // The stages of settlement, from the bottom up.
  [
    /^server\/src\/settlement\/records\//,
    /^(?!server\/src\/settlement\/(?!records\/))/,
    'records import no other stage',
  ],
  [
    /^server\/src\/settlement\/reading\//,
    /^(?!server\/src\/settlement\/(?!(records|reading)\/))/,
    'reading stores facts: records only',
  ],
  [
    /^server\/src\/settlement\/outcome\//,
    /^(?!server\/src\/settlement\/(?!(records|reading|outcome)\/))/,
    'an outcome follows from records and from how far the chain was read',
  ],
  [
    /^server\/src\/settlement\/(attribution|verification)\//,
    /^(?!server\/src\/settlement\/([a-z-]+\.ts|watching\/))/,
    'stages do not import what runs them',
  ],
  [
    /^server\/src\/((api|watch|work|job|context|health|metrics|greeting)\.ts$|demo\/)/,
    /^(?!server\/src\/(app|main)\.ts)/,
    'only main.ts knows app.ts',
  ],
  [/^integrations\/src\//, /^(integrations|sdk)\//, 'integrations use the client, and nothing of the service'],
  [/^(web|sdk|cli)\/(?!.*\.test\.)/, /^(web|sdk|cli|contract)\//, 'what runs elsewhere does not reach into the server'],
];

test('imports go one way', () => {
  const wrong = sources
    .filter((source) => !isTest(source))
    .flatMap(({ path, imports }) =>
      DIRECTIONS.filter(([from]) => from.test(path)).flatMap(([, allowed, why]) =>
        imports.filter((target) => !allowed.test(target)).map((target) => `${path} imports ${target}: ${why}`),
      ),
    );
  expect(wrong).toEqual([]);
});

test('no two folders import each other', () => {
  const folderOf = (path: string) => dirname(path);
  // A folder and its inner folders are one unit.
  const isAbove = (outer: string, inner: string) => inner === outer || inner.startsWith(`${outer}/`);
  const edges = new Map<string, string>();
  const own = sources.filter(
    (source) => /^(server\/src|web|sdk|cli|integrations|contract)\//.test(source.path) && !isTest(source),
  );
  for (const { path, imports } of own) {
    for (const target of imports.filter(
      (name) => !isAbove(folderOf(name), folderOf(path)) && !isAbove(folderOf(path), folderOf(name)),
    )) {
      edges.set(`${folderOf(path)} > ${folderOf(target)}`, `${path} imports ${target}`);
    }
  }
  const mutual = [...edges]
    .filter(([edge]) => edges.has(edge.split(' > ').reverse().join(' > ')))
    .map(([, example]) => example);
  expect(mutual).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  const own = sources.filter((source) => /^(server\/src|web|sdk|cli|contract)\//.test(source.path) && !isTest(source));
  const imports = new Map(own.map((source) => [source.path, source.imports]));
  const reachedFrom = (start: string) => {
    const reached = new Set([start]);
    for (const path of reached) for (const target of imports.get(path) ?? []) reached.add(target);
    return reached;
  };
  const wrong = own.flatMap(({ path, imports: targets }) =>
    targets
      .filter((target) => target !== path && reachedFrom(target).has(path))
      .map((target) => `${path} imports ${target}, which leads back`),
  );
  expect(wrong).toEqual([]);
});

test('nouns see the outside through its interfaces and its pure forms, and only app.ts constructs', () => {
  const interfaces = new Set(
    [
      'chains/chain.ts',
      'chains/contract-wallet.ts',
      'routers/router.ts',
      'facilitators/facilitator.ts',
      'prices/prices.ts',
      'mail/mail.ts',
      'http/outbound.ts',
      // Text formats of the outside; they use no network.
      'http/address.ts',
      'chains/caip.ts',
      'chains/payment-uri.ts',
      'chains/machine-networks.ts',
      'chains/wallet-signature.ts',
      'chains/solana-key.ts',
    ].map((file) => `server/src/outside/${file}`),
  );
  const wrong = server
    .filter((source) => /^server\/src\/(resources|settlement)\//.test(source.path) && !isTest(source))
    .flatMap(({ path, imports }) =>
      imports
        .filter(
          (target) =>
            target.startsWith('server/src/outside/') && !interfaces.has(target) && !/\/(sandbox|pure)\//.test(target),
        )
        .map((target) => `${path} imports ${target}`),
    );
  expect(wrong).toEqual([]);
});

test('no query reads the clock: every instant is a parameter', () => {
  const clock =
    /\b(now\(\)|current_timestamp|localtimestamp|clock_timestamp\(\)|statement_timestamp\(\)|transaction_timestamp\(\))/i;
  const wrong = server
    .filter((source) => /\/(resources|settlement|outside)\//.test(source.path) && !isTest(source))
    // The one place where the database's time enters a request, in the look-up of its credential.
    .filter(({ path }) => path !== 'server/src/resources/accounts/credential-store.ts')
    .flatMap(({ path, text }) =>
      statements(text)
        .filter((sql) => clock.test(sql))
        .map((sql) => `${path}: ${sql.trim().slice(0, 200)}`),
    );
  expect(wrong).toEqual([]);
});

test('money never becomes a JavaScript number', () => {
  const wrong = lines(
    server.filter((source) => /\/(resources|settlement|outside)\//.test(source.path) && !isTest(source)),
  ).filter(({ line }) =>
    /\bparseFloat\(|\bNumber\([^)]*(units|minor|amount|price|rate\b|fee)[^)]*\)|\.toFixed\(/i.test(line),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('rates that are only shown stay with the pages that show them', () => {
  const pages = 'server/src/resources/checkout-pages/estimate.ts';
  const wrong = lines(
    server.filter(({ path }) => !path.startsWith('server/src/outside/prices/') && path !== pages),
  ).filter(({ line }) => /perDollar/i.test(line));
  expect(wrong.map(show)).toEqual([]);
});

test('what lives long is in the Context: no module keeps state that two servers in one process would share', () => {
  const wrong = sources
    .filter(
      ({ path }) => /^(server\/src|contract|sdk|cli|web\/(ui|docs|wallets|networks))\//.test(path) && !isTest({ path }),
    )
    .flatMap(({ path, text }) => stateOf(text).map((name) => `${path}: ${name}`));
  expect(wrong).toEqual([]);
});

/** What a module assigns or changes after it was loaded. */
function stateOf(text: string): string[] {
  const variables = [...text.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name]) => name as string);
  const constants = [...text.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = (.*)/gm)]
    .filter(
      ([, name, value]) =>
        /^(new Weak|cached\b|oncePer\b|create\w*Budget\b)/.test(value as string) ||
        // Typed as read-only or not: what counts is whether it is changed.
        new RegExp(`\\b${name}\\.(set|add|delete|clear|push|splice|shift|unshift)\\(|\\b${name}\\[[^\\]]+\\] = `).test(
          text,
        ),
    )
    .map(([, name]) => name as string);
  return [...variables, ...constants];
}

test('stores use the database and no network', () => {
  const wrong = server
    .filter(({ path }) => /store\.ts$/.test(path))
    .flatMap((source) =>
      lines([source]).filter(({ line }) => /\bfetch\(|from '(undici|node:https?|viem|nodemailer)'/.test(line)),
    );
  expect(wrong.map(show)).toEqual([]);
});

test('SQL lives in stores', () => {
  const wrong = server
    .filter((source) => !isTest(source) && !/(^|[/-])store\.ts$/.test(source.path))
    // The database layer itself, and migrations.
    .filter(({ path }) => !path.startsWith('server/src/platform/db/'))
    .flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /\.query\b(?:<[^;]*?>)?\(\s*['"`][^\n]*|`\s*(?:select|insert into|update|delete from|with)\s[^`]*?\b(?:from|into|set|as)\b/gi,
        ),
      ].map(
        ({ 0: found, index }) => `${path}:${text.slice(0, index).split('\n').length} ${found.trim().slice(0, 100)}`,
      ),
    );
  expect(wrong).toEqual([]);
});

test('no test is left out or left alone', () => {
  const own = 'server/test/tidy.test.ts';
  const wrong = lines(sources.filter((source) => isTest(source) && source.path !== own)).filter(({ line }) =>
    /\b(test|it|describe)\.(only|skip|todo)\b/.test(line),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('what a test puts in the place of a global is taken away again: files share a process', () => {
  const stubbing = sources.filter(({ text }) => /\bvi\.stubGlobal\(/.test(text));
  expect(stubbing.filter(({ text }) => !text.includes('vi.unstubAllGlobals')).map(({ path }) => path)).toEqual([]);
});

test('a doc comment stands directly above its declaration; a comment about the file is a // comment at its top', () => {
  const wrong = sources.filter(({ path, text }) => !path.endsWith('.sql') && /^(\/\*\*.*| )\*\/\n\n/m.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('no field has type="number", which silently drops a comma', () => {
  const pages = sources.filter(({ path }) => /^web\/.*\.tsx$/.test(path));
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.filter(({ text }) => text.includes('type="number"')).map(({ path }) => path)).toEqual([]);
});

test(`no file is longer than ${MAX_LINES} lines: past that it has two ideas`, () => {
  // A catalog of sentences is a table, as long as what it lists.
  const isTable = (path: string) => path.endsWith('.sql') || /\/i18n\/[a-z-]+\.ts$/i.test(path) || GENERATED.test(path);
  const long = sources
    .filter(({ path }) => !isTable(path))
    .map(({ path, text }) => ({ path, count: text.split('\n').length }))
    .filter(({ count }) => count > MAX_LINES);
  expect(long.map(({ path, count }) => `${path} has ${count} lines`)).toEqual([]);
});

const MAX_COLUMNS = 140;

test(`no line is longer than ${MAX_COLUMNS} columns: catalogs, names of tests and what has no place to break apart`, () => {
  const isRecorded = (path: string) => /\/i18n\/[a-z-]+\.ts$/i.test(path) || GENERATED.test(path);
  const long = sources
    .filter(({ path }) => !isRecorded(path))
    .flatMap(({ path, text }) => text.split('\n').map((line, at) => ({ path, number: at + 1, line })))
    .filter(({ path, line }) => line.length > MAX_COLUMNS && !isOnePiece(path, line.trim()));
  expect(long.map(show)).toEqual([]);
});

/** What a break would spoil. */
function isOnePiece(path: string, line: string): boolean {
  const isPattern = isTest({ path }) && /^\/.*\/[a-z]*[;,]?$/.test(line);
  const hasNoSpace = !line.slice(0, MAX_COLUMNS).includes(' ');
  const isNameOfTest = isTest({ path }) && /^(test|it|describe)\b[^'"`]*\(/.test(line);
  // A sentence of the dashboard is the key of its translations.
  const isKey = /^'[^']*',$/.test(line) && path.startsWith('web/dashboard/');
  // They repeat lines of the code after their own first words.
  const isRepeated = path.startsWith('server/test/programs/defenses/');
  return isPattern || hasNoSpace || isNameOfTest || isKey || isRepeated;
}

const MAX_PARAMETERS = 4;

const MAX_FUNCTION_LINES = 70;
const MAX_CONDITIONAL_DEPTH = 2;
const declarations = readDeclarations();
const functions = declarations.functions.filter(({ path }) => !isTest({ path }));

test('the compiler reads the declarations', () => {
  expect(functions.length).toBeGreaterThan(4_000);
  expect(declarations.conditionals.length).toBeGreaterThan(1_000);
});

test(`no function has more than ${MAX_PARAMETERS} parameters: what belongs together is one named value`, () => {
  const wrong = functions.filter(({ parameters }) => parameters > MAX_PARAMETERS);
  expect(wrong.map(({ place, parameters }) => `${place} takes ${parameters} parameters`)).toEqual([]);
});

test(`no function is longer than ${MAX_FUNCTION_LINES} lines: past that it has two ideas`, () => {
  const wrong = functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES);
  expect(wrong.map(({ place, lines }) => `${place} has ${lines} lines`)).toEqual([]);
});

test('a conditional expression has at most one other in its branches', () => {
  const wrong = declarations.conditionals.filter(({ depth }) => depth > MAX_CONDITIONAL_DEPTH);
  expect(wrong.map(({ place, depth }) => `${place} is ${depth} deep: write a function with early returns`)).toEqual([]);
});

test('a migration after the first runs beside the previous release, or says by -- Contract: that it does not', () => {
  const migrations = sources.filter(({ path }) => /\/migrations\/(?!0001)[0-9]{4}-/.test(path));
  const breaking = migrations
    .filter(({ text }) => !/^-- Contract: /m.test(text))
    .flatMap(({ path, text }) => breakingChanges(text).map((change) => `${path}: ${change}`));
  expect(breaking).toEqual([]);
});

/** Changes after which the statements of the previous release fail. */
function breakingChanges(sql: string): string[] {
  const clauses = sql
    .replaceAll(/--.*$/gm, '')
    .split(/;|,(?=\s*(?:add|drop|alter|rename)\s)/i)
    .map((clause) => clause.trim().replaceAll(/\s+/g, ' '));
  const added = clauses.map((clause) => /\badd constraint (\S+) check\b/i.exec(clause)?.[1]);
  // A check that is dropped and added again allows more values than before.
  const isWidened = (clause: string) => {
    const dropped = /\bdrop constraint (\S+)$/i.exec(clause)?.[1];
    return dropped !== undefined && added.includes(dropped);
  };
  return clauses.filter(
    (clause) =>
      (/\bdrop (?!not null\b|default\b)[a-z]/i.test(clause) && !isWidened(clause)) ||
      /\brename (?:to|column|constraint)\b/i.test(clause) ||
      /\bset not null\b/i.test(clause) ||
      /\balter column \S+ (?:set data )?type\b/i.test(clause) ||
      (/\badd column\b.*\bnot null\b/i.test(clause) && !/\bdefault\b/i.test(clause)),
  );
}

test('every migration is numbered once and begins by saying why it exists', () => {
  const migrations = sources.filter(({ path }) => path.startsWith('server/src/platform/db/migrations/'));
  const numbers = migrations.map(({ path }) => /\/([0-9]{4})-[a-z0-9-]+\.sql$/.exec(path)?.[1]);
  expect(numbers).not.toContain(undefined);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(migrations.filter(({ text }) => !text.startsWith('-- Why: ')).map(({ path }) => path)).toEqual([]);
});

/** The SQL in a file: templates that begin like a statement. */
function statements(text: string): string[] {
  return [...text.matchAll(/`(\s*(?:select|insert|update|delete|with)\b[^`]*)`/gi)].map(([, sql]) => sql as string);
}

function lines(from: Source[]): { path: string; number: number; line: string }[] {
  return from.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, at) => ({ path, number: at + 1, line }))
      .filter(({ line }) => !/^\s*(\/\/|\*|\/\*)/.test(line)),
  );
}
