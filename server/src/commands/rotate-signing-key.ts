import { parseArgs } from 'node:util';
import { StartupError } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { rotateSigningKeys } from '../platform/signing/signing-keys.ts';
import { withApp } from './with-app.ts';
import { print } from './print.ts';

/**
 * `quittance-server rotate-signing-key`: new keys sign receipts and webhooks from now on, of every account and mode or of
 * the given ones. Old public keys stay in their key sets, so everything that they signed stays valid.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { account: { type: 'string' }, mode: { type: 'string' } } });
  const { account: accountId, mode } = values;
  if (accountId !== undefined && !isId('acc', accountId))
    throw new StartupError(`"${accountId}" is not an account. Expected acc_…, as \`GET /v1/account\` shows it.`);
  if (mode !== undefined && mode !== 'live' && mode !== 'test')
    throw new StartupError(`"${mode}" is not a mode. Expected live or test.`);
  await withApp(async ({ ctx }) => {
    const retired = await rotateSigningKeys(ctx, { accountId, livemode: mode && mode === 'live' });
    print(
      `Retired ${retired} signing ${retired === 1 ? 'key' : 'keys'}. Each account and mode gets a new one with its next statement.`,
    );
  });
}
