// The attempts of a webhook delivery: one source for the server, the API's descriptions and the sentences of the docs.

/** Minutes before attempts 2 to 6, each from the end of the previous attempt. */
export const RETRY_DELAYS_MINUTES = [1, 5, 30, 120, 360] as const;
export const MAX_DELIVERY_ATTEMPTS = RETRY_DELAYS_MINUTES.length + 1;
/** An endpoint that has not responded after this time has failed the attempt. */
export const RESPONSE_TIMEOUT_SECONDS = 10;

const CARDINALS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ORDINALS = 'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const minutes = RETRY_DELAYS_MINUTES.reduce<number>((sum, delay) => sum + delay, 0);

/** The schedule for sentences. */
export const SCHEDULE_WORDS = {
  delays: new Intl.ListFormat('en-GB').format(RETRY_DELAYS_MINUTES.map(durationOf)),
  attempts: cardinal(MAX_DELIVERY_ATTEMPTS),
  lastAttempt: ordinal(MAX_DELIVERY_ATTEMPTS),
  hours: cardinal(Math.round(minutes / 60)),
  timeoutSeconds: cardinal(RESPONSE_TIMEOUT_SECONDS),
};

function cardinal(count: number): string {
  return CARDINALS[count] ?? String(count);
}

/** `6` → `sixth`. */
export function ordinal(position: number): string {
  return ORDINALS[position] ?? `${position}th`;
}

function durationOf(delay: number): string {
  const [count, unit] = delay < 60 ? [delay, 'minute'] : [delay / 60, 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
