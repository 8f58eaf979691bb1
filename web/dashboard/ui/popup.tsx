import { type ReactNode, useEffect, useRef, useState } from 'react';
import { buttonClass } from './basic.tsx';
import { Icon } from './icon.tsx';

/** A button that opens a small box below itself; Escape and a click elsewhere close it. */
export function Popup({ label, children }: { label: string; children: ReactNode }) {
  const box = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
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
  }, []);
  return (
    <details ref={box} className="relative" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={`${buttonClass()} cursor-pointer list-none`}>
        {label}
        <Icon name="down" size={16} />
      </summary>
      {isOpen && (
        <div className="absolute start-0 z-10 sm:start-auto sm:end-0 mt-1.5 w-max max-w-[calc(100vw-2rem)] rounded-xl border border-line bg-surface p-4 shadow-lg">
          {children}
        </div>
      )}
    </details>
  );
}
