import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { createRandom } from './random.ts';

/**
 * What a process draws by chance — identifiers, references, secrets — comes from the run's seed as well, so that one
 * seed is one course of events down to the order of identifiers. Loaded before anything that draws.
 */
const real = {
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
  random: Math.random,
  now: performance.now,
};
let draw: (() => number) | null = null;
let drawn = 0;

crypto.randomBytes = ((size: number) => {
  if (!draw) return real.randomBytes(size);
  drawn += 1;
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = Math.floor(draw() * 256);
  return bytes;
}) as typeof crypto.randomBytes;
crypto.randomUUID = ((options?: object) => {
  if (!draw) return real.randomUUID(options);
  return crypto
    .randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}) as typeof crypto.randomUUID;
syncBuiltinESMExports();

/** The real stopwatch, also while a world has its own. */
export const stopwatchMs: () => number = () => real.now.call(performance);

/** From here on chance and the stopwatch are the run's, until the answer is called. `spend` draws one identifier's worth. */
export function takeOver(seed: number, monoMs: () => number, spend: () => void): () => void {
  draw = createRandom(seed ^ 0x5eed).next;
  Math.random = createRandom(seed ^ 0xd1ce).next;
  performance.now = monoMs;
  // What was drawn ahead for an earlier run is used up first.
  for (drawn = 0; drawn === 0; ) spend();
  return () => {
    draw = null;
    Math.random = real.random;
    performance.now = real.now;
  };
}
