import { RECEIVER_SAMPLE } from '@quittance/contract/receiver-sample';
import { useT } from '../lib/i18n.tsx';
import { Button, Copyable, Notice } from './basic.tsx';
import { CodeBlock } from './code-block.tsx';

/** A secret at the only moment it is visible. */
export function SecretShown({
  secret,
  name,
  onDone,
  snippet = false,
}: {
  secret: string;
  name: string;
  onDone: () => void;
  snippet?: boolean;
}) {
  const t = useT();
  return (
    <div className="grid gap-4">
      <Notice tone="warn">{t('Copy it now. You won’t be able to see it again.')}</Notice>
      <div className="rounded-lg bg-raised px-4 py-3">
        <Copyable text={secret} label={t('Copy secret')} />
      </div>
      <div className="grid gap-1">
        <p className="text-sm text-quiet">{t('As an environment variable')}</p>
        <div className="rounded-lg bg-raised px-4 py-3 text-sm">
          <Copyable text={`${name}=${secret}`} />
        </div>
      </div>
      {snippet && (
        <div className="grid gap-1">
          <p className="text-sm text-quiet">{t('Verify a webhook')}</p>
          <CodeBlock text={`// npm install express ${location.origin}/docs/quittance-sdk.tgz\n${RECEIVER_SAMPLE}`} />
        </div>
      )}
      <div className="flex justify-end">
        <Button kind="primary" onClick={onDone}>
          {t('I’ve saved it')}
        </Button>
      </div>
    </div>
  );
}
