import { useT } from './lib/i18n.tsx';
import { PLACES } from './places.ts';
import { commandKey } from './shell/navigation.tsx';
import { Dialog } from './ui/dialog.tsx';

/** The keyboard shortcuts, with the names of this machine's keys. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const t = useT();
  const rows: [keys: string[], text: string][] = [
    [[commandKey('K'), '/'], t('Search')],
    ...PLACES.map(({ key, name }): [string[], string] => [[`G ${key.toUpperCase()}`], t(name)]),
    [['?'], t('Keyboard shortcuts')],
  ];
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <dl className="grid gap-2 text-sm">
        {rows.map(([keys, text]) => (
          <div key={text} className="flex items-center justify-between gap-4">
            <dt>{text}</dt>
            <dd className="flex gap-1.5" dir="ltr">
              {keys.map((key) => (
                <kbd key={key} className="rounded border border-line bg-raised px-1.5 py-0.5 font-sans text-xs">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
