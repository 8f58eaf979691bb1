/** One line of the doctor's report. A warning does not make the command fail, a failure does. */
export interface Finding {
  state: 'ok' | 'warning' | 'failed';
  subject: string;
  details: string;
}

/** A finding for people. A provider may have written a part of it, and makes no line of its own. */
export function lineOf({ state, subject, details }: Finding): string {
  return `${state.padEnd(7)}  ${subject.padEnd(24)}  ${details.replace(/\s+/g, ' ')}`;
}
