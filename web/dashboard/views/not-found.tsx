import { Link } from '@tanstack/react-router';
import { useT } from '../lib/i18n.tsx';
import { buttonClass, Card, Empty, Heading } from '../ui/basic.tsx';

/** Inside the shell, with the navigation. */
export function NotFoundView() {
  const t = useT();
  return (
    <>
      <Heading title={t('Page not found')} />
      <Card flush>
        <Empty
          title={t('There is nothing at this address.')}
          action={
            <Link to="/" className={buttonClass('primary')}>
              {t('Back to the dashboard')}
            </Link>
          }
        />
      </Card>
    </>
  );
}
