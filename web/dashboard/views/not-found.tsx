import { Link } from '@tanstack/react-router';
import { useT } from '../lib/i18n.tsx';
import { buttonClass, Empty } from '../ui/basic.tsx';

export function NotFoundView() {
  const t = useT();
  return (
    <main>
      <h1 className="sr-only">{t('Not found')}</h1>
      <Empty
        title={t('Page not found')}
        action={
          <Link to="/" className={buttonClass('primary')}>
            {t('Back to the dashboard')}
          </Link>
        }
      />
    </main>
  );
}
