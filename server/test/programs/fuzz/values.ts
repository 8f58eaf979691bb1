import fc from 'fast-check';

export type Schema = Record<string, any>;

/** A place for an id. Which ids exist is known only when the request is sent. */
export interface IdSlot {
  $id: string;
  pick: number;
}

export function isIdSlot(value: unknown): value is IdSlot {
  return typeof value === 'object' && value !== null && '$id' in value && 'pick' in value;
}

/** Fields that hold the id of another object. */
const ID_FIELDS: Record<string, string> = { payout_wallet_id: 'pp', session: 'cs', endpoint_id: 'we', payment: 'pay' };

/** Fields whose rule a schema cannot express, with valid values. */
const KNOWN: Record<string, fc.Arbitrary<unknown>> = {
  asset: fc.constantFrom('USDC', 'usdc', 'USDT', 'ETH', 'SOL', 'BTC'),
  network: fc.constantFrom('base', 'ethereum', 'solana', 'polygon', 'Arbitrum', 'bitcoin'),
  pay_asset: fc.constantFrom('USDC', 'usdc', 'USDT', 'ETH', 'SOL', 'BTC', 'TRX'),
  pay_network: fc.constantFrom('base', 'ethereum', 'solana', 'polygon', 'Arbitrum', 'bitcoin', 'tron'),
  amount: fc.oneof(fc.integer({ min: 1, max: 99_999_999_999 }).map(cents), fc.constantFrom('49', '49.5', '0.01')),
  address: fc.constantFrom(
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
    '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  ),
  accepted_assets: fc.uniqueArray(fc.constantFrom('USDC_BASE', 'ETH_ETHEREUM', 'usdc_solana', 'BTC_BITCOIN'), {
    minLength: 1,
  }),
  success_url: fc.constantFrom('https://shop.example/thanks?s={CHECKOUT_SESSION_ID}', 'http://localhost:9/ok'),
  cancel_url: fc.constantFrom('https://shop.example/cart'),
  logo_url: fc.constantFrom('https://shop.example/logo.svg', null),
  support_url: fc.constantFrom('https://shop.example/help', null),
  frame_parents: fc.constantFrom([], ['https://shop.example']),
  cursor: fc.constantFrom(undefined, 'cur_4Xq2LwZ8nT6vRb1KsYc9MdHf'),
  starting_after: fc.constantFrom(undefined, 'cur_4Xq2LwZ8nT6vRb1KsYc9MdHf'),
  since: fc.constantFrom('2026-01-01T00:00:00Z', '2020-02-29T23:59:60Z'),
  tx_hash: fc.constantFrom(
    `0x${'5c'.repeat(32)}`,
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
  ),
  signature: fc.constantFrom(`0x${'5c'.repeat(64)}1b`, `0x${'00'.repeat(64)}1b`, 'aa'.repeat(64)),
  // The years of repeated calls add up; a fuzzed clock need not pass the calendar's end.
  seconds: fc.integer({ min: 1, max: 3600 }),
};

function cents(minor: number): string {
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
}

/** A valid value for the schema, as an honest client would send it. */
export function valueFor(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const prefix = ID_FIELDS[name];
  if (prefix) return fc.nat({ max: 1000 }).map((pick) => ({ $id: prefix, pick }));
  const known = KNOWN[name];
  if (known) return known;
  if (schema.anyOf) return fc.oneof(...(schema.anyOf as Schema[]).map((member) => valueFor(member)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const types: string[] = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object':
      return objectOf(schema);
    default:
      return fc.constant(null);
  }
}

function objectOf(schema: Schema): fc.Arbitrary<unknown> {
  if (!schema.properties)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), fc.string({ maxLength: 50 }), {
      maxKeys: 5,
      noNullPrototype: true,
    });
  const required: string[] = schema.required ?? [];
  return fc.record(
    Object.fromEntries(
      Object.entries(schema.properties as Record<string, Schema>).map(([name, property]) => [
        name,
        valueFor(property, name),
      ]),
    ),
    { requiredKeys: required, noNullPrototype: true },
  );
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.examples && schema.pattern)
    return fc.oneof(fc.constantFrom(...(schema.examples as string[])), matching(schema.pattern));
  if (schema.format === 'email') return fc.nat({ max: 30 }).map((number) => `fuzz-${number}@merchant.example`);
  if (schema.format === 'uri') return fc.constant('{receiver}');
  if (schema.format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
      .map((date) => date.toISOString());
  const minLength = schema.minLength ?? 0;
  return fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.max(minLength, Math.min(schema.maxLength ?? 30, 30)),
  });
}

/** The library generates no look-aheads: what they exclude is left out afterwards. */
function matching(pattern: string): fc.Arbitrary<string> {
  const whole = new RegExp(pattern);
  return fc
    .stringMatching(new RegExp(pattern.replace(/\(\?!(?:[^()]|\([^()]*\))*\)/, '')))
    .filter((text) => whole.test(text));
}

/** Values that no honest client sends. */
export const nasty: fc.Arbitrary<unknown> = fc
  .oneof(
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -0,
      -1,
      1.5,
      1e308,
      -1e308,
      2 ** 53,
      49,
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      'x\udfff',
      '\uffff',
      '\u202e49.00',
      '😀',
      'é',
      'e\u0301',
      '0',
      '0.00',
      '-1',
      '1e5',
      'NaN',
      'Infinity',
      '1,000.00',
      '01',
      '1.',
      '.1',
      '0x10',
      '999999999.999',
      '9'.repeat(400),
      '٤٩',
      ' 49.00',
      '49.00\n',
      '__proto__',
      'constructor',
      'toString',
      "'; drop table payments; --",
      '%00',
      '{{7*7}}',
      '${7*7}',
      '<script>alert(1)</script>',
      '../../etc/passwd',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'http://2130706433/',
      'https://user:pass@shop.example',
      'javascript:alert(1)',
      'https://',
      'https://ex ample.com',
      'ftp://shop.example',
      'cs_',
      'pay_x',
      `pay_${'0'.repeat(24)}`,
      `pp_${'z'.repeat(24)}`,
      'A'.repeat(501),
      'x'.repeat(70_000),
      '2026-02-30T00:00:00Z',
      '0000-00-00',
      '+275760-09-13T00:00:00.000Z',
      '9999-12-31T23:59:59Z',
    ),
    fc.constantFrom<unknown[]>(
      [],
      {} as never,
      [[]],
      [null],
      [{}],
      { length: 1 } as never,
      { toString: 'x' } as never,
      { $gt: '' } as never,
      Array.from({ length: 200 }, () => 'USDC_BASE'),
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.double(),
    fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String),
    fc.integer({ min: 1, max: 40 }).map(nested),
    // Each request gets new values, because a later change must not reach another request.
  )
  .map((value) => structuredClone(value));

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}
