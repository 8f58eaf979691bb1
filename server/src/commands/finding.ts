/** One line of the doctor's report. A warning does not make the command fail, a failure does. */
export interface Finding {
  state: 'ok' | 'warning' | 'failed';
  subject: string;
  details: string;
  /** The settings that name what is wrong, if others may have the same. */
  settings?: string;
}

/** What the errors of one broken cable look like, and what to do about it. */
const CAUSES: readonly [error: RegExp, cause: string][] = [
  [/ENOTFOUND|EAI_AGAIN/, 'no name resolution: allow outgoing DNS and HTTPS, or correct the names'],
  [
    /ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ECONNREFUSED|ECONNRESET|\btime(?:d )?-?out\b/i,
    'not reached: see that it runs at this address and port, and allow outgoing connections to it',
  ],
  [
    /CERT_|certificate|SELF_SIGNED/i,
    "the certificate is not trusted: something on the way ends TLS, or this machine's clock is wrong",
  ],
  // Before the others: some say it with the status of a key that is refused.
  [
    /HTTP 429\b|too many requests|rate.?limit|frequency limit|lack of computing resources/i,
    'calls are refused as too many: raise the plan, or use providers of your own',
  ],
  [/HTTP 40[13]\b/, 'the key is refused: correct it in the settings'],
  [/HTTP 40[45]\b/, "there is no JSON-RPC: correct the address (Tron's ends in /jsonrpc), or switch it on in the node"],
  [/ is on chain /, 'that is another network: name an address of this one'],
];

/** A finding for people. A provider may have written a part of it, and makes no line of its own. */
export function lineOf({ state, subject, details }: Finding): string {
  return `${state.padEnd(7)}  ${subject.padEnd(24)}  ${details.replace(/\s+/g, ' ')}`;
}

/** What is wrong, once for each cause and the worst first: twenty providers without a name are one thing to do. */
export function groupByCause(findings: readonly Finding[]): Finding[] {
  const groups = Map.groupBy(findings, ({ state, details }) => `${state} ${causeOf(details) ?? details}`);
  return [...groups.values()]
    .map((group) => {
      const [{ state, subject, details }] = group as [Finding];
      const cause = causeOf(details);
      const settings = [...new Set(group.flatMap((one) => one.settings ?? []))].join(', ');
      if (group.length === 1) {
        const todo = [cause, settings && `see ${settings}`].filter(Boolean).join('; ');
        return { state, subject, details: settings ? `${details}: ${todo}` : details };
      }
      const subjects = [...new Set(group.map((one) => one.subject))].join(', ');
      const where = settings ? `${subjects}; see ${settings}` : subjects;
      return { state, subject: `${group.length} checks`, details: `${cause ?? details} (${where})` };
    })
    .sort((one, other) => Number(other.state === 'failed') - Number(one.state === 'failed'));
}

function causeOf(details: string): string | undefined {
  return CAUSES.find(([error]) => error.test(details))?.[1];
}
