import type { StageProps } from '../page.tsx';
import { networkName } from '../names.ts';
import type { Option } from '../page-state.ts';

/** Which coin to pay with: the direct one first, then the others by coin and network. */
export function ChooseStage({ page, t }: StageProps) {
  const direct = page.session.options.filter((option) => option.kind === 'direct');
  const routed = page.session.options.filter((option) => option.kind === 'routed');
  const reachable = routed.filter((option) => option.available);
  return (
    <section aria-labelledby="choose-title">
      <h2 id="choose-title">{t('choose_title')}</h2>
      {direct.map((option) => (
        <ChooseButton key={keyOf(option)} page={page} option={option} t={t} badge={t('recommended')} note={t('no_conversion')} />
      ))}
      {reachable.length > 0 && (
        <details class="others" open={direct.length === 0}>
          <summary>{t('other_ways')}</summary>
          <div class="options">
            {reachable.map((option) => (
              <ChooseButton key={keyOf(option)} page={page} option={option} t={t} note={t('converted')} />
            ))}
          </div>
        </details>
      )}
      {routed.length > 0 && reachable.length === 0 && <p class="quiet">{t('only_direct_reachable')}</p>}
      {page.cancelUrl && <p class="aside"><a href={page.cancelUrl} rel="noopener noreferrer">{t('cancel')}</a></p>}
    </section>
  );
}

function ChooseButton({ page, option, t, badge, note }: StageProps & { option: Option; badge?: string; note: string }) {
  const label = (
    <>
      <span class="option-asset"><b>{option.asset}</b> <span class="quiet">{t('on_network', { network: networkName(option.network) })}</span></span>
      <span class="option-note">{badge && <span class="badge">{badge}</span>} {option.available ? note : t('unavailable')}</span>
    </>
  );
  // A routed coin first asks where a refund should go, so its button leads to a form and starts nothing.
  return option.kind === 'routed' ? (
    <form method="get" action={`/checkout/${page.session.id}`} data-choose="routed">
      <input type="hidden" name="asset" value={option.asset} />
      <input type="hidden" name="network" value={option.network} />
      <button class="option" disabled={!option.available}>{label}</button>
    </form>
  ) : (
    <form method="post" action={`/checkout/${page.session.id}/pay`} data-choose="direct">
      <input type="hidden" name="asset" value={option.asset} />
      <input type="hidden" name="network" value={option.network} />
      <button class="option primary" disabled={!option.available}>{label}</button>
    </form>
  );
}

function keyOf(option: Option): string {
  return `${option.asset}_${option.network}`;
}
