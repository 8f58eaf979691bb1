import { useLanguage } from '../../lib/i18n.tsx';
import { useDebounced } from '../../lib/debounced.ts';

interface BrandForm {
  name: string;
  logo: string;
  accent: string;
  background: string;
  theme: string;
  corners: string;
}

/** The real checkout page with what is in the form, saved or not. It runs no script and takes no click. */
export function BrandPreview({ form }: { form: BrandForm }) {
  const { t, locale } = useLanguage();
  const { name, logo, accent, background, theme, corners } = form;
  const address = `/dashboard/preview?${new URLSearchParams({ name, logo, accent, background, theme, corners, lang: locale })}`;
  const shown = useDebounced(address);
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
