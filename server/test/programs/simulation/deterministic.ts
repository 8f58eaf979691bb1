// A process's random values (identifiers, references, secrets) come from the run's seed too, so that one seed is one
// sequence of events, including the order of identifiers. Loaded before anything that uses randomness.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { createRandom } from './random.ts';

const real = {
  randomBytes: crypto.randomBytes,
  randomInt: crypto.randomInt,
  randomUUID: crypto.randomUUID,
  random: Math.random,
  dateNow: Date.now,
  now: performance.now,
};
const WORLD_START_MS = Date.UTC(2026, 0, 1);
let draw: (() => number) | null = null;

crypto.randomBytes = ((size: number) => {
  if (!draw) return real.randomBytes(size);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = Math.floor(draw() * 256);
  return bytes;
}) as typeof crypto.randomBytes;
crypto.randomInt = ((...[least, end]: [number, number]) => {
  if (!draw) return real.randomInt(least, end);
  return end === undefined ? Math.floor(draw() * least) : least + Math.floor(draw() * (end - least));
}) as typeof crypto.randomInt;
crypto.randomUUID = ((options?: object) => {
  if (!draw) return real.randomUUID(options);
  return crypto
    .randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}) as typeof crypto.randomUUID;
syncBuiltinESMExports();

/** The real monotonic clock, even while a world has its own. */
export const stopwatchMs: () => number = () => real.now.call(performance);

/** From here on randomness and the process's clocks are the run's, until the returned function is called. */
export function takeOver(seed: number, monoMs: () => number): () => void {
  draw = createRandom(seed ^ 0x5eed).next;
  Math.random = createRandom(seed ^ 0xd1ce).next;
  performance.now = monoMs;
  // New ids begin with it.
  Date.now = () => WORLD_START_MS + Math.floor(monoMs());
  return () => {
    draw = null;
    Math.random = real.random;
    performance.now = real.now;
    Date.now = real.dateNow;
  };
}
