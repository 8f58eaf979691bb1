import { useEffect, useState } from 'preact/hooks';
import { familyOf, networkName } from '../../networks/networks.ts';
import { CoinIcon } from '../coin-icon.tsx';
import type { Translate } from '../i18n/messages.ts';
import { roughAmount } from '../money.ts';
import type { Option, PageProps } from '../page-state.ts';
import { storeChoice, storedChoice } from '../stored-choice.ts';
import { WalletIcon, walletsOn } from '../wallet-choice.tsx';
import { duration } from './progress.tsx';

const SEARCH_ABOVE = 8;

/** The coins to pay with: the direct one first, then the others by coin and network. Only reachable networks. */
export function ChooseStage({ page, t }: PageProps) {
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => setWanted(storedChoice('coin')), []);
  const direct = page.session.options.find((option) => option.kind === 'direct' && option.available);
  const routed = page.session.options.filter((option) => option.kind === 'routed' && option.available);
  const isRoutingOut = routed.length === 0 && page.session.options.some((option) => option.kind === 'routed');
  const order = groupsFor(page);
  const first = direct ?? order(routed)[0]?.[1][0];
  const chosen = [direct, ...routed].find((option) => option && keyOf(option) === wanted) ?? first;
  if (!first || !chosen) return <Nothing page={page} t={t} />;
  return (
    <form
      class="choose"
      method="post"
      action={`/checkout/${page.session.id}/pay`}
      data-do="choose"
      onSubmit={() => storeChoice('coin', keyOf(chosen))}
      onChange={(event) => {
        const input = event.target as HTMLInputElement;
        if (input.name === 'option') setWanted(input.value);
      }}
    >
      <h2>{t('choose_title')}</h2>
      <fieldset>
        <legend class="visually-hidden">{t('choose_legend')}</legend>
        {direct && <Direct option={direct} isChosen={chosen === direct} t={t} />}
        {routed.length > 0 && (
          <Others
            groups={order(routed)}
            chosen={chosen}
            hasDirect={direct !== undefined}
            isOpen={chosen !== direct}
            t={t}
          />
        )}
      </fieldset>
      <p class="quiet">{t(hasEstimates(chosen) ? 'estimates_note' : 'network_fee_note')}</p>
      {direct && needsWallet(page) && <Wallets page={page} direct={direct} t={t} />}
      {isRoutingOut && <p class="quiet">{t('only_direct_reachable')}</p>}
      <button class="primary wide">
        <span class="with-script">
          {t('continue_with', { asset: chosen.asset, network: networkName(chosen.network) })}
        </span>
        <span class="without-script">{t('continue')}</span>
      </button>
      {page.links.cancel && (
        <p class="aside">
          <a href={page.links.cancel} target="_top" rel="noopener noreferrer">
            {t('cancel')}
          </a>
        </p>
      )}
    </form>
  );
}

/** The coin that the merchant receives. */
function Direct({ option, isChosen, t }: { option: Option; isChosen: boolean; t: Translate }) {
  return (
    <label class="option option-direct">
      <input type="radio" name="option" value={keyOf(option)} checked={isChosen} />
      <CoinIcon asset={option.asset} network={option.network} />
      <span class="option-text">
        <span>
          <b>{option.asset}</b> {t('on_network', { network: networkName(option.network) })}
        </span>
        <span class="estimates">
          <EstimatedAmount option={option} />
          <TypicalTime option={option} t={t} />
        </span>
        <span class="quiet">{t('no_conversion')}</span>
      </span>
      <span class="badge">{t('recommended')}</span>
    </label>
  );
}

/** The approximate amount to send. */
function EstimatedAmount({ option }: { option: Option }) {
  const { estimated_amount: amount, asset } = option;
  return amount ? (
    <span class="estimate quiet">
      <bdi dir="ltr">
        ≈ {roughAmount(amount)} {asset}
      </bdi>
    </span>
  ) : null;
}

function TypicalTime({ option, t }: { option: Option; t: Translate }) {
  const { typical_seconds: seconds } = option;
  return seconds ? <span class="estimate quiet">{duration(seconds, t)}</span> : null;
}

function typicalSeconds({ typical_seconds: seconds }: Option): number {
  return seconds ?? Number.MAX_SAFE_INTEGER;
}

function hasEstimates({ estimated_amount: amount, typical_seconds: seconds }: Option): boolean {
  return Boolean(amount) || Boolean(seconds);
}

/** Whether no exact amount is left, also after a wallet was asked for the payment and failed. */
function needsWallet({ error, wallet }: PageProps['page']): boolean {
  return error?.param === 'pay_asset' || wallet?.step === 'failed';
}

/** The wallets in this browser that can pay the direct coin, which need no exact amount. */
function Wallets({ page, direct, t }: PageProps & { direct: Option }) {
  const wallets = walletsOn(page, direct.network);
  return (
    <div class="wallets">
      {wallets.map((wallet) => (
        <button
          key={wallet.id}
          type="button"
          class="wallet"
          data-do="wallet-choose"
          data-wallet={wallet.id}
          data-option={keyOf(direct)}
        >
          <WalletIcon wallet={wallet} />
          {t('wallet_pay_with', { wallet: wallet.name })}
        </button>
      ))}
    </div>
  );
}

/** The converted coins, each with its networks to choose from. */
function Others({
  groups,
  chosen,
  hasDirect,
  isOpen,
  t,
}: {
  groups: Group[];
  chosen: Option;
  /** Without a direct option the list is the whole choice. */
  hasDirect: boolean;
  isOpen: boolean;
  t: PageProps['t'];
}) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = (option: Option) =>
    words.every((word) =>
      `${option.asset} ${option.network} ${networkName(option.network)}`.toLowerCase().includes(word),
    );
  const options = groups.flatMap(([, networks]) => networks);
  const hasFound = options.some(isFound);
  const list = (
    <>
      <p class="quiet">{t('other_ways_note')}</p>
      {options.length > SEARCH_ABOVE && (
        <input
          type="search"
          class="with-script"
          aria-label={t('search')}
          placeholder={t('search')}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={toFirstFound}
        />
      )}
      {groups.map(([asset, networks]) => (
        <Coin key={asset} asset={asset} networks={networks} chosen={chosen} isFound={isFound} t={t} />
      ))}
      <p class="quiet" role="status">
        {hasFound ? '' : t('nothing_found')}
      </p>
    </>
  );
  if (!hasDirect) return <div class="others">{list}</div>;
  return (
    <details class="others" open={isOpen}>
      <summary>{t('other_ways', { count: options.length })}</summary>
      {list}
    </details>
  );
}

/** A converted coin with its networks. Those that the search does not find are hidden. */
function Coin({
  asset,
  networks,
  chosen,
  isFound,
  t,
}: {
  asset: string;
  networks: readonly Option[];
  chosen: Option;
  isFound: (option: Option) => boolean;
  t: Translate;
}) {
  return (
    <div class="group" hidden={!networks.some(isFound)}>
      <CoinIcon asset={asset} />
      <span>
        <b>{asset}</b>
        {networks[0] && <EstimatedAmount option={networks[0]} />}
      </span>
      <div class="networks">
        {networks.map((option) => (
          <label key={keyOf(option)} class="option option-network" hidden={!isFound(option)}>
            <input type="radio" name="option" value={keyOf(option)} checked={option === chosen} />
            <span>
              <span class="visually-hidden">{asset} </span>
              {networkName(option.network)}
              <TypicalTime option={option} t={t} />
            </span>
          </label>
        ))}
      </div>
    </div>
  );
}

/** From the search by keyboard: chooses the first result, and the arrow keys continue from there. */
function toFirstFound(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
  event.preventDefault();
  const first = (event.target as Element)
    .closest('.others')
    ?.querySelector<HTMLInputElement>('.option-network:not([hidden]) input');
  first?.focus();
  first?.click();
}

function Nothing({ page, t }: PageProps) {
  return (
    <section>
      <h2>{t('unavailable')}</h2>
      <p>{t('nothing_reachable')}</p>
      {page.links.cancel && (
        <p>
          <a href={page.links.cancel} target="_top" rel="noopener noreferrer">
            {t('cancel')}
          </a>
        </p>
      )}
    </section>
  );
}

// The most common coins come first.
const ORDER = ['USDC', 'USDT', 'ETH', 'BTC', 'SOL', 'BNB', 'POL', 'AVAX', 'TRX'];

type Group = [asset: string, networks: Option[]];

/**
 * By coin, and each coin's networks by their typical time: only the wallet knows the network fee, and slow networks are
 * usually expensive. If all wallets of this browser are of one family, what they can pay comes first.
 */
function groupsFor({ wallets = [] }: PageProps['page']): (options: Option[]) => Group[] {
  const families = new Set(wallets.map((wallet) => wallet.family as string));
  const canPay = (option: Option) => families.size === 1 && families.has(familyOf(option.network));
  const payableFirst = (a: boolean, b: boolean) => Number(b) - Number(a);
  // Browsers inside wallets are often years old, so this uses no newer features.
  return (options) =>
    [...new Set(options.map((option) => option.asset))]
      .map(
        (asset): Group => [
          asset,
          options
            .filter((option) => option.asset === asset)
            .sort((a, b) => payableFirst(canPay(a), canPay(b)) || typicalSeconds(a) - typicalSeconds(b)),
        ],
      )
      .sort(
        ([a, some], [b, others]) =>
          payableFirst(some.some(canPay), others.some(canPay)) || ORDER.indexOf(a) - ORDER.indexOf(b),
      );
}

export function keyOf(option: { asset: string; network: string }): string {
  return `${option.asset}_${option.network.toUpperCase()}`;
}
