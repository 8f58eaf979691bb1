import { useEffect, useState } from 'preact/hooks';
import { networkName } from '../../networks/networks.ts';
import type { Option, PageProps } from '../page-state.ts';
import { storeChoice, storedChoice } from '../stored-choice.ts';
import { WalletIcon, walletsOn } from '../wallet-choice.tsx';
import { type Choice, CoinTiles } from './choose/coin-tiles.tsx';
import { type Coin, coinsOf, isDirect, keyOf, splitCoins } from './choose/coins.ts';
import type { Found } from './choose/search.ts';

const SEARCH_FROM = 8;

/** The customer's choices: a coin, and a network for each coin they looked at. */
interface Picked {
  asset: string | undefined;
  networks: Record<string, string>;
}

/** Coins first, then the networks of the chosen one. Only what can be reached is offered. */
export function ChooseStage({ page, t }: PageProps) {
  const [picked, setPicked] = useState<Picked>({ asset: undefined, networks: {} });
  const [exchange, setExchange] = useState(page.exchange === true);
  const coins = coinsOf(page);
  const search = useSearch(coins);
  const pick = (asset: string, network?: string) => {
    setPicked(({ networks }) => ({ asset, networks: network ? { ...networks, [asset]: network } : networks }));
    search.leave();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is remembered once, before anything is picked
  useEffect(() => {
    const [asset, network] = storedChoice('coin')?.split('_') ?? [];
    // A network without a conversion is better than the one that another shop needed.
    const isBest = coins.some((coin) => coin.asset === asset && isDirect(coin.networks[0]));
    if (asset && network) setPicked({ asset, networks: isBest ? {} : { [asset]: network.toLowerCase() } });
  }, []);

  const { meant, isFound } = search;
  const networkOf = ({ asset, networks }: Coin) =>
    networks.find(({ network }) => asset === meant?.asset && network === meant.network) ??
    networks.find((option) => option.network === picked.networks[asset] && isFound(option)) ??
    networks.find(isFound) ??
    networks[0];
  const asset = meant?.asset ?? picked.asset;
  const coin = coins.find((one) => one.asset === asset) ?? coins[0];
  if (!coin) return <Nothing page={page} t={t} />;
  const chosen = networkOf(coin);
  const choose = ({ name, value, checked }: HTMLInputElement) => {
    if (name === 'exchange') setExchange(checked);
    if (name.startsWith('network_')) pick(coin.asset, value);
    if (name === 'coin') pick(value);
  };
  const find = (text: string) => {
    // What is chosen stays when the search is cleared.
    if (!text.trim()) pick(chosen.asset, chosen.network);
    search.find(text);
  };
  return (
    <form
      class="choose"
      method="post"
      action={`/checkout/${page.session.id}/pay`}
      data-do="choose"
      onSubmit={() => storeChoice('coin', keyOf(chosen))}
      onChange={(event) => choose(event.target as HTMLInputElement)}
    >
      <h2>{t('choose_title')}</h2>
      <label class="check">
        <input type="checkbox" name="exchange" value="1" checked={exchange} />
        {t('from_exchange')}
      </label>
      {exchange && isDirect(chosen) && <p class="quiet">{t('exchange_next')}</p>}
      <Coins
        coins={coins}
        choice={{ chosen, networkOf, isFound, locale: page.locale, t }}
        search={{ ...search, find }}
      />
      <Notes page={page} chosen={chosen} exchange={exchange} t={t} />
      <div class="bar">
        <button class="primary wide">
          <span class="with-script">
            {t('continue_with', { asset: chosen.asset, network: networkName(chosen.network) })}
          </span>
          <span class="without-script">{t('continue')}</span>
        </button>
      </div>
      <Cancel page={page} t={t} />
    </form>
  );
}

type Search = ReturnType<typeof useSearch>;

/** The search, whose code is loaded once it is needed. It chooses until something is chosen by hand. */
function useSearch(coins: readonly Coin[]) {
  const [text, setText] = useState('');
  const [isChoosing, setChoosing] = useState(false);
  const [code, setCode] = useState<typeof import('./choose/search.ts')>();
  const found: Found = code?.searchCoins(coins, text) ?? { isFound: () => true };
  // Each letter tries again what could not be loaded.
  const load = () => void import('./choose/search.ts').then(setCode, () => {});
  return {
    ...found,
    text,
    meant: isChoosing ? found : undefined,
    load,
    find: (next: string) => {
      if (!code) load();
      setText(next);
      setChoosing(next.trim() !== '');
    },
    leave: () => setChoosing(false),
  };
}

/** What the choice costs and needs, and what else can pay. */
function Notes({ page, chosen, exchange, t }: PageProps & { chosen: Option; exchange: boolean }) {
  const { options } = page.session;
  const direct = options.find((option) => isDirect(option) && option.available);
  const routed = options.filter((option) => !isDirect(option));
  const isRoutingOut = routed.length > 0 && !routed.some((option) => option.available);
  return (
    <>
      {exchange ? (
        !isDirect(chosen) && <p>{t('exchange_converted', { asset: chosen.asset })}</p>
      ) : (
        <p class="quiet">{t(hasEstimates(chosen) ? 'estimates_note' : 'network_fee_note')}</p>
      )}
      {direct && needsWallet(page) && <Wallets page={page} direct={direct} t={t} />}
      {isRoutingOut && <p class="quiet">{t('only_direct_reachable')}</p>}
    </>
  );
}

/** The usual coins, the others behind a click, and a search over all of them. */
function Coins({ coins, choice, search }: { coins: readonly Coin[]; choice: Choice; search: Search }) {
  const [isOpen, setOpen] = useState(false);
  const { chosen, t } = choice;
  const { usual, others } = splitCoins(coins);
  const isChosenInside = others.some(({ asset }) => asset === chosen.asset);
  return (
    <fieldset>
      <legend class="visually-hidden">{t('choose_legend')}</legend>
      {coins.length >= SEARCH_FROM && (
        <input
          type="search"
          class="with-script"
          aria-label={t('search')}
          placeholder={t('search')}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => search.find(event.currentTarget.value)}
          onKeyDown={toFound}
          onFocus={search.load}
        />
      )}
      <p class="not-found" role="status">
        {search.accepted && t('nothing_found', { coins: search.accepted })}
      </p>
      <CoinTiles coins={usual} choice={choice} />
      {others.length > 0 && (
        <details
          class="all-coins"
          open={isOpen || isChosenInside || search.text.trim() !== ''}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>{t('all_coins')}</summary>
          <CoinTiles coins={others} choice={choice} />
        </details>
      )}
    </fieldset>
  );
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

/** From the search by keyboard: to the chosen result, from which the arrow keys lead to the others. */
function toFound(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
  event.preventDefault();
  (event.target as Element).closest('fieldset')?.querySelector<HTMLInputElement>('.tile > :checked')?.focus();
}

function Nothing({ page, t }: PageProps) {
  return (
    <section>
      <h2>{t('unavailable')}</h2>
      <p>{t('nothing_reachable')}</p>
      <Cancel page={page} t={t} />
    </section>
  );
}

function Cancel({ page, t }: PageProps) {
  return (
    page.links.cancel && (
      <p class="aside">
        <a href={page.links.cancel} target="_top" rel="noopener noreferrer">
          {t('cancel')}
        </a>
      </p>
    )
  );
}
