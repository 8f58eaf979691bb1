import { useNavigate, useSearch } from '@tanstack/react-router';
import { instant, milliseconds, plain, shorten } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useList } from '../lib/state.tsx';
import type { LoggedRequestJson } from '../lib/types.ts';
import { Badge, Button, Copyable, Empty, Heading } from '../ui/basic.tsx';
import { ListCard } from '../ui/listing.tsx';
import { ActionsHead, Cell, Table } from '../ui/table.tsx';

export function RequestsView() {
  const { t } = useLanguage();
  const { failed } = useSearch({ from: '/shell/requests' });
  const navigate = useNavigate();
  const list = useList<LoggedRequestJson>('requests', '/dashboard/api/requests', { failed });
  return (
    <>
      <Heading title={t('Request log')} below={t('API requests from the last 7 days. Request bodies aren’t stored.')}>
        <Button
          aria-pressed={failed === true}
          onClick={() => void navigate({ to: '/requests', search: { failed: failed ? undefined : true } })}
        >
          {failed ? t('Show all') : t('Show errors only')}
        </Button>
        <Button onClick={() => void list.refetch()} busy={list.isRefetching}>
          {t('Refresh')}
        </Button>
      </Heading>
      <ListCard
        list={list}
        rows={8}
        empty={
          <Empty title={failed ? t('No errors') : t('No requests yet')} docs="/docs">
            {t('Requests with a secret key of this mode appear here within two seconds.')}
          </Empty>
        }
      >
        <Table
          label={t('Requests')}
          heads={[
            t('Status'),
            t('Request'),
            t('Duration'),
            t('Key'),
            t('Request ID'),
            t('Time'),
            <ActionsHead key="act" />,
          ]}
        >
          {list.items.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </Table>
      </ListCard>
    </>
  );
}

function RequestRow({ request }: { request: LoggedRequestJson }) {
  const { t, locale } = useLanguage();
  return (
    <tr>
      <Cell>
        <Badge tone={request.status < 400 ? 'good' : request.status < 500 ? 'warn' : 'bad'}>{request.status}</Badge>
      </Cell>
      <Cell className="font-mono text-[.9em] [overflow-wrap:anywhere] sm:whitespace-nowrap">
        <span className="font-semibold">{request.method}</span>{' '}
        <span>{plain(request.path).replace(/_([0-9A-Za-z]{3})[0-9A-Za-z]{18}([0-9A-Za-z]{3})/g, '_$1…$2')}</span>
        {request.code && <span className="block text-xs text-bad">{request.code}</span>}
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums text-quiet">{milliseconds(request.duration_ms)}</Cell>
      <Cell className="whitespace-nowrap">
        {request.key ? plain(request.key.label ?? `…${request.key.last4}`) : t('Login')}
      </Cell>
      <Cell>
        <Copyable text={request.id} shown={shorten(request.id, 5)} />
      </Cell>
      <Cell className="whitespace-nowrap text-quiet">{instant(locale, request.at)}</Cell>
      <Cell>
        <Copyable text={curlOf(request)} shown="curl" label={t('Copy as curl')} />
      </Cell>
    </tr>
  );
}

function curlOf({ method, path, idempotency_key: key }: LoggedRequestJson): string {
  const body = method === 'GET' ? '' : " \\\n  -H 'Content-Type: application/json' -d '{}'";
  const url = location.origin + path.replaceAll("'", '%27');
  const credential = ' \\\n  -H "Authorization: Bearer $QUITTANCE_KEY"';
  const once = key ? ` \\\n  -H 'Idempotency-Key: ${key.replaceAll("'", "'\\''")}'` : '';
  return `curl -X ${method} ${url}${credential}${once}${body}`;
}
