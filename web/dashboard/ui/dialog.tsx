import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../lib/i18n.tsx';
import { Button, Problem } from './basic.tsx';
import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** A panel along an edge instead of a window in the middle; `true` is the end. */
  side?: boolean | 'start';
  wide?: boolean;
  /** It stays open: what happens inside must not be interrupted. */
  isHeld?: boolean;
}

/** Open while it is rendered. The browser keeps the focus inside and restores it. */
export function Dialog({ title, onClose, children, side = false, wide = false, isHeld = false }: DialogProps) {
  const t = useT();
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // A selection of text that ends outside clicks on the backdrop too, but did not begin there.
  const beganOutside = useRef(false);
  const close = () => {
    if (!isHeld) onClose();
  };
  // Closed while it is still in the document: otherwise the focus does not return to what opened it.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; this is its backdrop
    <dialog
      ref={element}
      aria-labelledby={id}
      className={`max-w-none border border-line bg-surface p-0 text-ink shadow-xl ${shapeOf(side, wide)}`}
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === element.current) close();
      }}
      onClose={(event) => {
        // Browsers close it at the second Escape, whatever the first was answered.
        if (event.target !== element.current || element.current.open) return;
        element.current.showModal();
        close();
      }}
      onPointerDown={(event) => {
        beganOutside.current = event.target === element.current;
      }}
      onClick={(event) => {
        if (event.target === element.current && beganOutside.current) close();
      }}
    >
      <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-4">
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        <button
          type="button"
          disabled={isHeld}
          onClick={close}
          className="grid size-8 place-items-center rounded-lg text-quiet hover:bg-raised hover:text-ink disabled:opacity-50"
          aria-label={t('Close')}
        >
          <Icon name="close" />
        </button>
      </div>
      <div className="p-5">{children}</div>
    </dialog>
  );
}

function shapeOf(side: DialogProps['side'], isWide: boolean): string {
  if (side) return side === 'start' ? 'side start w-[min(19rem,85vw)]' : 'side w-[min(34rem,100vw)]';
  return isWide ? 'rounded-2xl w-[min(44rem,calc(100vw-2rem))]' : 'rounded-2xl w-[min(32rem,calc(100vw-2rem))]';
}

/**
 * A form in a dialog, which ends with the button that sends it. `error` is what none of its fields shows. It stays open
 * while it is `busy`: the answer may contain what is shown only once.
 */
export function FormDialog({
  title,
  action,
  error,
  busy = false,
  disabled = false,
  side = false,
  asksBeforeLeaving = false,
  onSubmit,
  onClose,
  children,
}: Pick<DialogProps, 'title' | 'side' | 'onClose' | 'children'> & {
  action: string;
  error?: unknown;
  busy?: boolean;
  disabled?: boolean;
  /** Closing it asks first, once something was typed. */
  asksBeforeLeaving?: boolean;
  onSubmit: () => void;
}) {
  const t = useT();
  const [isTouched, setTouched] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const leave = () => (asksBeforeLeaving && isTouched ? setLeaving(true) : onClose());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} onClose={leave} side={side} isHeld={busy}>
      <form onSubmit={submit} onInput={() => setTouched(true)} className="grid gap-4">
        {children}
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button disabled={busy} onClick={leave}>
            {t('Cancel')}
          </Button>
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
      {isLeaving && <LeaveUnsaved onConfirm={onClose} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}

/** Asks before what was typed is lost. */
export function LeaveUnsaved(answers: { onConfirm: () => void; onClose: () => void }) {
  const t = useT();
  return (
    <Confirm title={t('Leave without saving?')} action={t('Discard')} danger {...answers}>
      {t('Your changes have not been saved.')}
    </Confirm>
  );
}

/** Asks before an action that cannot be undone, and stays open while that is `busy`. */
export function Confirm({
  title,
  children,
  action,
  dismiss,
  danger = false,
  busy = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  /** In place of “Cancel”, where that is what the action does. */
  dismiss?: string;
  danger?: boolean;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <Dialog title={title} onClose={onClose} isHeld={busy}>
      <div className="grid gap-5">
        <div className="text-sm text-quiet">{children}</div>
        <div className="flex justify-end gap-2">
          <Button disabled={busy} onClick={onClose}>
            {dismiss ?? t('Cancel')}
          </Button>
          <button
            type="button"
            disabled={busy}
            onClick={onConfirm}
            className={`rounded-lg px-3.5 py-2 text-sm font-medium ${danger ? 'bg-bad text-surface' : 'bg-accent text-on-accent'}`}
          >
            {action}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
