import { formatUnits } from 'viem';
import type { QuoteAnswer } from '../one-click-server.ts';
import type { Provider } from './desk.ts';

export type Data = any;

/** One way in which a provider's answer is wrong. Its JSON text is sent. */
export interface Mutation {
  provider: Provider;
  name: string;
  /** Only an order's answer has the field; a preview of 1Click names no address. */
  ordersOnly: boolean;
  /** The answer is valid, but too expensive. */
  isPrice?: true;
  /** The answer is in order for its adapter: only the service knows what is wrong with it. */
  isForService?: true;
  change(answer: Data, facts: Facts): { status?: number; text: string };
}

/** The values that a lie can use. */
export interface Facts {
  sign(answer: QuoteAnswer): QuoteAnswer;
  merchantWallet: string;
  refundAddress: string;
  payDecimals: number;
  /** A deposit address and an identifier of other orders, of either provider, on the same network. */
  usedAddresses: readonly string[];
  usedReference: string;
}

export const OTHER_EVM = '0x9999999999999999999999999999999999999999';
export const NESTED = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
export const GONE = Symbol('gone');
/** A placeholder in the JSON text for something that JSON.stringify would not write. */
const HOLE = 'hole-to-be-filled';

export const UNITS = [
  '0',
  '-1',
  '1.5',
  '1e9',
  '',
  ' 5',
  '0x10',
  '9'.repeat(70),
  '9'.repeat(400),
  '٣',
  5,
  null,
  GONE,
  {},
  [],
  true,
] as const;
export const TEXT = [null, GONE, '', 7, {}, [], true, { toString: 1 }, 'x'.repeat(3_000)] as const;
export const POISON = ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\ufffe\ud83d'] as const;

/** The operator's, of which every honest answer has the whole fee. */
export const FEE_RECIPIENT = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** Addresses that no wallet has. */
export const CONTRACTS = [
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
] as const;

export const DEPOSIT_ADDRESSES = [
  null,
  GONE,
  '',
  7,
  {},
  'nowhere',
  'x'.repeat(3_000),
  '1BitcoinEaterAddressDontSendf59kuF',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr',
  `0x${'0'.repeat(40)}`,
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dEaD',
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '1nc1nerator11111111111111111111111111111111',
  '1BitcoinEaterAddressDontSendf59kuE',
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
] as const;

/** An honest answer at a higher price, in percent of its own price. */
export function dearer(provider: Provider, percent: bigint): Mutation {
  return {
    provider,
    name: `a price of ${percent} % of the honest one`,
    ordersOnly: false,
    isPrice: true,
    isForService: true,
    change: (answer, facts) => ({ text: JSON.stringify(REPRICED[provider](answer, percent, facts)) }),
  };
}

/** Valid JSON that JSON.stringify never writes: nesting beyond any stack, numbers beyond any double. */
export function holes(provider: Provider, paths: readonly string[]): Mutation[] {
  const fillings: [string, string][] = [
    ['nesting', NESTED],
    ['some nesting', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
    ['a long text', JSON.stringify('x'.repeat(2_000_000))],
    ['many values', `[${'0,'.repeat(200_000)}0]`],
  ];
  return paths.flatMap((path) =>
    fillings.map(
      ([name, filling]): Mutation => ({
        provider,
        name: `${path} holds ${name}`,
        ordersOnly: false,
        change: (answer, { sign }) => {
          const holed = changed(answer, path, HOLE);
          return {
            text: JSON.stringify(provider === 'one-click' ? sign(holed) : holed).replaceAll(
              JSON.stringify(HOLE),
              filling,
            ),
          };
        },
      }),
    ),
  );
}

/** Replaces the deposit address everywhere: by that of another owner, or by a text that is not an address there. */
export function addressLies(provider: Provider, path: string, sign: (answer: Data, facts: Facts) => Data): Mutation[] {
  const lie = (name: string, address: (facts: Facts) => string, isForAdapter = false): Mutation => ({
    provider,
    name: `${path} is ${name}`,
    ordersOnly: true,
    ...(!isForAdapter && { isForService: true }),
    change: (answer, facts) => {
      const honest: string = path.split('.').reduce((inner, part) => inner[part], answer);
      const elsewhere = JSON.parse(
        JSON.stringify(answer)
          .replaceAll(honest, address(facts))
          .replaceAll(honest.slice(2).toLowerCase(), address(facts).slice(2).toLowerCase()),
      );
      return { text: JSON.stringify(sign(elsewhere, facts)) };
    },
  });
  return [
    lie('an address of another network', () => '1BitcoinEaterAddressDontSendf59kuE', true),
    lie('an address with a wrong checksum', () => '0x52908400098527886E0F7030069857D2E4169eE7', true),
    lie('the zero address', () => `0x${'0'.repeat(40)}`, true),
    lie("the merchant's wallet", ({ merchantWallet }) => merchantWallet),
    lie("the merchant's wallet in lower case", ({ merchantWallet }) => merchantWallet.toLowerCase()),
    lie('the refund address', ({ refundAddress }) => refundAddress),
    lie('the refund address in lower case', ({ refundAddress }) => refundAddress.toLowerCase()),
    ...[0, 1].flatMap((at) => [
      lie(
        `an address that ${at === 0 ? '1Click' : 'Relay'} has given out`,
        ({ usedAddresses }) => usedAddresses[at] as string,
      ),
      lie(
        `an address that ${at === 0 ? '1Click' : 'Relay'} has given out, in capitals`,
        ({ usedAddresses }) => `0x${(usedAddresses[at] as string).slice(2).toUpperCase()}`,
      ),
    ]),
  ];
}

export const PRICES = [130n, 200n, 1_000_000n] as const;

const REPRICED: Record<Provider, (answer: Data, percent: bigint, facts: Facts) => Data> = {
  'one-click': (answer, percent, { sign, payDecimals }) => {
    const times = (units: string) => String((BigInt(units) * percent) / 100n);
    const amountIn = times(answer.quote.amountIn);
    return sign({
      ...answer,
      quote: {
        ...answer.quote,
        amountIn,
        minAmountIn: times(answer.quote.minAmountIn),
        amountInFormatted: formatUnits(BigInt(amountIn), payDecimals),
      },
    });
  },
  relay: (answer, percent, { payDecimals }) => {
    const { amount } = answer.details.currencyIn;
    const repriced = (BigInt(amount) * percent) / 100n;
    const text = JSON.stringify(answer)
      .replaceAll(`"${amount}"`, `"${repriced}"`)
      .replaceAll(word(BigInt(amount)), word(repriced));
    const copy = JSON.parse(text);
    copy.details.currencyIn.amountFormatted = formatUnits(repriced, payDecimals);
    return copy;
  },
};

export function changed(answer: Data, path: string, value: unknown): Data {
  const copy = structuredClone(answer);
  const names = path.split('.');
  const last = names.pop() as string;
  const holder = names.reduce((inner, name) => (inner[name] ??= {}), copy);
  if (value === GONE) delete holder[last];
  else holder[last] = value;
  return copy;
}

export function written(answer: Data): string {
  return JSON.stringify(answer);
}

/** Some lies cannot be signed, because the double parses what it signs. */
export function safely<T>(sign: () => T, otherwise: T): T {
  try {
    return sign();
  } catch {
    return otherwise;
  }
}

function word(units: bigint): string {
  return units.toString(16).padStart(64, '0');
}

export function shown(value: unknown): string {
  if (value === GONE) return 'gone';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text;
}
