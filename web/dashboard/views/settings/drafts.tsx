import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useT } from '../../lib/i18n.tsx';
import { useMode } from '../../lib/state.tsx';
import { Button } from '../../ui/basic.tsx';
import { LeaveUnsaved } from '../../ui/dialog.tsx';

interface Draft {
  form: RefObject<HTMLFormElement | null>;
  isDirty: boolean;
  isSaving: boolean;
  discard: () => void;
}

interface Drafts {
  report: (id: string, draft: Draft | null) => void;
  saved: () => void;
}

const DraftsContext = createContext<Drafts>({ report() {}, saved() {} });

/** One bar saves every form below it. Leaving with unsaved changes asks first. */
export function SaveTogether({ children }: { children: ReactNode }) {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map());
  const [hasSaved, setSaved] = useState(false);
  const report = useCallback(
    (id: string, draft: Draft | null) =>
      setDrafts((now) => {
        const next = new Map(now);
        if (draft) next.set(id, draft);
        else next.delete(id);
        return next;
      }),
    [],
  );
  const saved = useCallback(() => {
    setSaved(true);
    setTimeout(() => setSaved(false), 3_000);
  }, []);
  const context = useMemo(() => ({ report, saved }), [report, saved]);
  const dirty = [...drafts.values()].filter(({ isDirty }) => isDirty);
  // The guard reads it at once, so that a merchant who discards their changes and leaves is not asked about them.
  const isDirty = useRef(false);
  useLayoutEffect(() => {
    isDirty.current = dirty.length > 0;
  });
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty.current,
    withResolver: true,
  });
  const mode = useModeQuestion(isDirty);
  return (
    <DraftsContext value={context}>
      {children}
      <div className="sticky bottom-4 z-10 mt-5 h-14">
        {(dirty.length > 0 || hasSaved) && <SaveBar dirty={dirty} />}
      </div>
      {blocker.status === 'blocked' && <LeaveUnsaved onConfirm={blocker.proceed} onClose={blocker.reset} />}
      {mode.change && (
        <LeaveUnsaved
          onConfirm={() => {
            dirty.forEach(({ discard }) => discard());
            mode.change?.();
            mode.reset();
          }}
          onClose={mode.reset}
        />
      )}
    </DraftsContext>
  );
}

function SaveBar({ dirty }: { dirty: readonly Draft[] }) {
  const t = useT();
  const hasChanges = dirty.length > 0;
  return (
    <section
      aria-label={t('Unsaved changes')}
      className="flex h-full items-center justify-end gap-3 rounded-xl border border-line bg-surface px-4 shadow-lg"
    >
      <p role="status" className={`me-auto text-sm ${hasChanges ? '' : 'text-good'}`}>
        {hasChanges ? t('Unsaved changes') : t('Saved')}
      </p>
      {hasChanges && (
        <>
          <Button onClick={() => dirty.forEach(({ discard }) => discard())}>{t('Discard')}</Button>
          <Button
            kind="primary"
            busy={dirty.some(({ isSaving }) => isSaving)}
            onClick={() => dirty.forEach(({ form }) => form.current?.requestSubmit())}
          >
            {t('Save')}
          </Button>
        </>
      )}
    </section>
  );
}

/** The change of the mode that waits for an answer: the other mode has other settings. */
function useModeQuestion(isDirty: RefObject<boolean>): { change: (() => void) | null; reset: () => void } {
  const { guard } = useMode();
  const [change, setChange] = useState<(() => void) | null>(null);
  useEffect(() => {
    guard.current = (wanted) => {
      if (isDirty.current) setChange(() => wanted);
      else wanted();
    };
    return () => {
      guard.current = null;
    };
  }, [guard, isDirty]);
  return { change, reset: () => setChange(null) };
}

/** The state of one form: `initial` is the server's version, and `edit` the unsaved differences. */
export function useDraft<T extends object>(initial: T, isSaving: boolean) {
  const [edits, setEdits] = useState<Partial<T>>({});
  const { report, saved } = useContext(DraftsContext);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const value = { ...initial, ...edits };
  const isDirty = JSON.stringify(value) !== JSON.stringify(initial);
  useLayoutEffect(() => {
    report(id, { form, isDirty, isSaving, discard: () => setEdits({}) });
    return () => report(id, null);
  }, [report, id, isDirty, isSaving]);
  return {
    form,
    value,
    /** Changes that come later, such as the address of an upload, keep what was entered meanwhile. */
    edit: (change: Partial<T>) => setEdits((now) => ({ ...now, ...change })),
    /** After the response, the form shows the server's version, except for what was entered since it was sent. */
    done: (_answer: unknown, sent: T) => {
      setEdits((now) => without(now, sent));
      saved();
    },
  };
}

function without<T extends object>(edits: Partial<T>, sent: T): Partial<T> {
  const isLater = (name: string) => edits[name as keyof T] !== sent[name as keyof T];
  return Object.fromEntries(Object.entries(edits).filter(([name]) => isLater(name))) as Partial<T>;
}
