import { isRecoveryPhrase } from '@quittance/contract/recovery-phrase';
import type { Translate } from './i18n.tsx';

/** What is wrong with a typed address that is not sent to be judged: anyone with the words of a phrase has the money. */
export function addressProblem(typed: string, t: Translate): string | null {
  if (isRecoveryPhrase(typed))
    return t(
      'This looks like a recovery phrase. Never paste it anywhere: anyone who has it can take all of your money.',
    );
  return /\S\s+\S/.test(typed) ? t('An address has no spaces.') : null;
}
