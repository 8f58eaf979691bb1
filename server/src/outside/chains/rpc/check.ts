import { TemporaryFailure } from '../../../platform/errors.ts';
import type { Transfer, Verdict } from '../chain.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

/** What one provider says of a transfer. */
export type Testimony =
  | { type: 'stands'; provider: string; transfer: Transfer; head: { number: bigint; safe: bigint | null; finalized: bigint | null } }
  | { type: 'gone'; provider: string; details: string; instead?: Transfer[] }
  /** It stands, but what was told with it when it was read is not so. */
  | { type: 'otherwise'; provider: string; details: string };

/** One provider's word, or that of two at once where agreement is asked for and two are configured. */
export async function checkTransfer(
  providers: Providers, testimony: (provider: Provider) => Promise<Testimony>, options: { agreement: boolean; silentForGoodMs: number },
): Promise<Verdict> {
  const testimonies: Testimony[] = [];
  const silence: string[] = [];
  const wanted = options.agreement ? Math.min(2, providers.names.length) : 1;
  let asked = providers.names;
  while (testimonies.length < wanted && asked.length > 0) {
    try {
      const heard = await providers.use(testimony, { only: asked });
      testimonies.push(heard);
      asked = asked.filter((name) => name !== heard.provider);
    } catch (error) {
      if (!(error instanceof TemporaryFailure)) throw error;
      silence.push(error.message);
      break;
    }
  }
  // A provider that has been silent for long is no reason to hold on to a transfer that is gone.
  const present = providers.names.filter((name) => providers.silentMs(name) < options.silentForGoodMs).length;
  return judge(testimonies, silence, Math.min(wanted, Math.max(present, 1)));
}

/** What the testimonies amount to. Silence is never a no. */
function judge(testimonies: readonly Testimony[], silence: readonly string[], wanted: number): Verdict {
  const standing = testimonies.filter((testimony) => testimony.type === 'stands');
  const gone = testimonies.filter((testimony) => testimony.type === 'gone');
  const otherwise = testimonies.filter((testimony) => testimony.type === 'otherwise');
  const details = [...[...otherwise, ...gone].map((testimony) => testimony.details), ...silence].join('; ');

  if (otherwise.length > 0 || (standing.length > 0 && gone.length > 0)) return { type: 'disagree', details };
  if (standing.length > 0) {
    const places = new Set(standing.map(({ transfer: { block } }) => `${block.hash} of ${block.time.toISOString()}`));
    if (places.size > 1) return { type: 'disagree', details: `in blocks ${[...places].join(' and ')}` };
    const first = standing[0] as Extract<Testimony, { type: 'stands' }>;
    return { type: 'stands', transfer: first.transfer, providers: standing.map((testimony) => testimony.provider), head: lowestHead(standing.map((testimony) => testimony.head)) };
  }
  if (gone.length > 0 && gone.length >= wanted) {
    const instead = gone.find((testimony) => testimony.instead)?.instead;
    return instead ? { type: 'gone', instead } : { type: 'gone' };
  }
  return { type: 'unknown', details: details || 'nobody was asked' };
}

function lowestHead(heads: readonly { number: bigint; safe: bigint | null; finalized: bigint | null }[]) {
  const lowest = (values: readonly (bigint | null)[]) => values.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
  return {
    number: lowest(heads.map((head) => head.number)) as bigint,
    safe: lowest(heads.map((head) => head.safe)),
    finalized: lowest(heads.map((head) => head.finalized)),
  };
}
