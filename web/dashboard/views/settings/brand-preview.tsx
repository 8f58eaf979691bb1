import { useEffect, useState } from 'react';
import { useLanguage } from '../../lib/i18n.tsx';

interface BrandForm {
  name: string;
  logo: string;
  accent: string;
  background: string;
  theme: string;
  corners: string;
}

const TYPING_MS = 300;

/** The real checkout page with the form's values, saved or not. It runs no script and takes no clicks. */
export function BrandPreview({ form }: { form: BrandForm }) {
  const { t, locale } = useLanguage();
  const { name, logo, accent, background, theme, corners } = form;
  const address = `/dashboard/preview?${new URLSearchParams({ name, logo, accent, background, theme, corners, lang: locale })}`;
  const shown = useSettled(address);
  return (
    <div className="mx-auto h-100 w-72 max-w-full overflow-hidden rounded-xl outline outline-line">
      <iframe
        title={t('Preview of your checkout')}
        src={shown}
        sandbox="allow-same-origin"
        inert
        className="preview border-0"
      />
    </div>
  );
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
