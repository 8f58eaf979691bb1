import { randomFrom } from '../../support/random.ts';

/** All randomness of one run comes from one seed. */
export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(values: readonly T[]): T;
  hex(bytes: number): `0x${string}`;
}

export function createRandom(seed: number): Random {
  const next = randomFrom(seed);
  const random: Random = {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    pick: (values) => values[Math.floor(next() * values.length)] as never,
    hex: (bytes) =>
      `0x${Array.from({ length: bytes }, () => random.between(0, 255).toString(16).padStart(2, '0')).join('')}`,
  };
  return random;
}
