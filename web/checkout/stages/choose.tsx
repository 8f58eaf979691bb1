import { useEffect, useState } from 'preact/hooks';
import { networkName } from '../../networks/networks.ts';
import type { Option, PageProps } from '../page-state.ts';
import { storeChoice, storedChoice } from '../stored-choice.ts';
import { WalletIcon, walletsOn } from '../wallet-choice.tsx';
import { type Choice, CoinTiles } from './choose/coin-tiles.tsx';
import { type Coin, coinsOf, finder, isDirect, keyOf, onlyFound, splitCoins } from './choose/coins.ts';

const SEARCH_FROM = 8;

/** The customer's choices: a coin, and a network for each coin they looked at. */
interface Picked {
  asset: string | undefined;
  networks: Record<string, string>;
}

/** Coins first, then the networks of the chosen one. Only what can be reached is offered. */
export function ChooseStage({ page, t }: PageProps) {
  const [picked, setPicked] = useState<Picked>({ asset: undefined, networks: {} });
  const [search, setSearch] = useState('');
  const coins = coinsOf(page);
  const pick = (asset: string, network?: string) =>
    setPicked(({ networks }) => ({ asset, networks: network ? { ...networks, [asset]: network } : networks }));
  useEffect(() => {
    const [asset, network] = storedChoice('coin')?.split('_') ?? [];
    if (asset && network) setPicked({ asset, networks: { [asset]: network.toLowerCase() } });
  }, []);

  const networkOf = ({ asset, networks }: Coin) =>
    networks.find(({ network }) => network === picked.networks[asset]) ?? networks[0];
  const coin = coins.find(({ asset }) => asset === picked.asset) ?? coins[0];
  if (!coin) return <Nothing page={page} t={t} />;
  const chosen = networkOf(coin);
  const matches = finder(search);
  const hasFound = coins.some(({ networks }) => networks.some(matches));
  // Without a match everything stays, to choose from what is accepted.
  const isFound = hasFound ? matches : () => true;
  const { options } = page.session;
  const direct = options.find((option) => isDirect(option) && option.available);
  const routed = options.filter((option) => !isDirect(option));
  const isRoutingOut = routed.length > 0 && !routed.some((option) => option.available);

  /** Of a search for a network, the coin is paid there. */
  const choose = ({ name, value }: HTMLInputElement) => {
    if (name.startsWith('network_')) pick(coin.asset, value);
    if (name !== 'coin') return;
    const wanted = coins.find(({ asset }) => asset === value);
    pick(value, search ? wanted?.networks.find(isFound)?.network : undefined);
  };
  const find = (text: string) => {
    setSearch(text);
    const only = text.trim() ? onlyFound(coins, finder(text)) : undefined;
    if (only) pick(only.asset, only.network);
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
      <Coins
        coins={coins}
        choice={{ chosen, networkOf, isFound, locale: page.locale, t }}
        search={{ text: search, hasFound, find }}
      />
      <label class="check">
        <input type="checkbox" name="exchange" value="1" checked={page.exchange} />
        {t('from_exchange')}
      </label>
      <p class="quiet">{t(hasEstimates(chosen) ? 'estimates_note' : 'network_fee_note')}</p>
      {direct && needsWallet(page) && <Wallets page={page} direct={direct} t={t} />}
      {isRoutingOut && <p class="quiet">{t('only_direct_reachable')}</p>}
      <button class="primary wide">
        <span class="with-script">
          {t('continue_with', { asset: chosen.asset, network: networkName(chosen.network) })}
        </span>
        <span class="without-script">{t('continue')}</span>
      </button>
      <Cancel page={page} t={t} />
    </form>
  );
}

/** The usual coins, the others behind a click, and a search over all of them. */
function Coins({
  coins,
  choice,
  search,
}: {
  coins: readonly Coin[];
  choice: Choice;
  search: { text: string; hasFound: boolean; find: (text: string) => void };
}) {
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
          onKeyDown={search.hasFound ? toFirstFound : undefined}
        />
      )}
      <p class="not-found" role="status">
        {search.hasFound ? '' : t('nothing_found', { coins: coins.map(({ asset }) => asset).join(', ') })}
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

/** From the search by keyboard: chooses the first result, and the arrow keys continue from there. */
function toFirstFound(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
  event.preventDefault();
  const first = (event.target as Element).closest('fieldset')?.querySelector<HTMLInputElement>('.found > input');
  first?.focus();
  first?.click();
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
