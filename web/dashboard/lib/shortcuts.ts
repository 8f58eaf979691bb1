import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PLACES } from '../places.ts';

const SEQUENCE_MS = 1_200;

/** Keys that work outside of text fields: search, help, and `g` with a letter for each place. */
export function useShortcuts(actions: { search: () => void; help: () => void }): void {
  const navigate = useNavigate();
  const lastG = useRef(0);
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const hasModifier = event.metaKey || event.ctrlKey || event.altKey;
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        current.current.search();
        return;
      }
      if (hasModifier || isTyping(event.target)) return;
      const place = PLACES.find(({ key }) => key === event.key);
      if (event.key === '/') {
        event.preventDefault();
        current.current.search();
      } else if (event.key === '?') {
        current.current.help();
      } else if (event.key === 'g') {
        lastG.current = event.timeStamp;
      } else if (place && event.timeStamp - lastG.current < SEQUENCE_MS) {
        lastG.current = 0;
        void navigate({ to: place.to });
      }
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]') !== null;
}
