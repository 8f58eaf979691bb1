import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { buttonClass } from './basic.tsx';
import { Icon } from './icon.tsx';

/** A button that opens a small box below it. Escape or a click elsewhere closes the box. */
export function Popup({
  label,
  name,
  end = false,
  closes = false,
  isText = false,
  children,
}: {
  label: ReactNode;
  /** The button's accessible name, if its label does not say it. */
  name?: string;
  /** Aligned with the end of the button at every width. */
  end?: boolean;
  /** A choice inside closes the box, as in a menu. */
  closes?: boolean;
  /** The label is text, whatever the button's name is. On a phone the box is as wide as what the button is in. */
  isText?: boolean;
  children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useCloseFromOutside(box);
  const close = () => {
    if (!box.current) return;
    box.current.querySelector('summary')?.focus();
    box.current.open = false;
  };
  const side = end ? 'end-0' : `start-0 sm:start-auto sm:end-0 ${isText ? 'max-sm:end-0' : ''}`;
  return (
    <details
      ref={box}
      className={isText ? 'sm:relative' : 'relative'}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary
        className={`${buttonClass()} cursor-pointer list-none ${name && !isText ? 'px-1.5 py-1' : ''}`}
        aria-label={name}
        title={isText ? undefined : name}
      >
        {label}
        <Icon name="down" size={16} />
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the choices inside are buttons and links
        // biome-ignore lint/a11y/useKeyWithClickEvents: pressing one of them by key is a click too
        <div
          className={`${BOX} ${closes ? 'p-2' : 'p-4'} ${side}`}
          onClick={(event) => {
            if (closes && box.current && (event.target as Element).closest('a,button')) box.current.open = false;
          }}
        >
          {typeof children === 'function' ? children(close) : children}
        </div>
      )}
    </details>
  );
}

const BOX = 'absolute z-10 mt-1.5 w-max max-w-[calc(100vw-2rem)] rounded-xl border border-line bg-surface shadow-lg';

/** Escape closes the box and returns the focus to its button; a click elsewhere only closes it. */
function useCloseFromOutside(box: RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    const close = (event: Event) => {
      const { current } = box;
      if (
        !current?.open ||
        (event instanceof KeyboardEvent ? event.key !== 'Escape' : current.contains(event.target as Node))
      )
        return;
      if (event instanceof KeyboardEvent) current.querySelector('summary')?.focus();
      current.open = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, [box]);
}
