import { exchangeNames, networkName } from '../../../networks/networks.ts';
import { CoinIcon } from '../../coin-icon.tsx';
import type { Translate } from '../../i18n/messages.ts';
import { coinAmount, roughAmount } from '../../money.ts';
import type { Option } from '../../page-state.ts';
import { duration } from '../../usual-time.ts';
import { type Coin, isDirect } from './coins.ts';

/** What is chosen, and what the search finds. */
export interface Choice {
  chosen: Option;
  /** The network of each coin, should the coin be chosen. */
  networkOf: (coin: Coin) => Option;
  isFound: (option: Option) => boolean;
  locale: string;
  t: Translate;
}

/**
 * Coins as tiles. The networks of the chosen one appear below the tiles, by the style alone, so that it works without a
 * script. What the search does not find is hidden, and never chosen.
 */
export function CoinTiles({ coins, choice }: { coins: readonly Coin[]; choice: Choice }) {
  return (
    <div class="coins">
      {coins.map((coin) => (
        <CoinTile key={coin.asset} coin={coin} choice={choice} />
      ))}
    </div>
  );
}

function CoinTile({ coin, choice }: { coin: Coin; choice: Choice }) {
  const { asset, networks } = coin;
  const { chosen, isFound, locale, t } = choice;
  const { estimated_amount: amount } = networks[0];
  return (
    <>
      <label class="tile" hidden={!networks.some(isFound)}>
        <input type="radio" name="coin" value={asset} checked={asset === chosen.asset} />
        <span class="tile-face">
          <CoinIcon asset={asset} />
          <span>
            <b>{asset}</b>
            {amount && (
              <span class="estimate quiet">
                <span class="visually-hidden">, </span>
                <bdi dir="ltr">≈ {coinAmount(roughAmount(amount), locale)}</bdi>
              </span>
            )}
          </span>
          {networks.some(isDirect) && <span class="badge">{t('recommended')}</span>}
        </span>
      </label>
      <Networks coin={coin} choice={choice} />
    </>
  );
}

/** A coin's networks, with the names that exchanges use. */
function Networks({ coin, choice }: { coin: Coin; choice: Choice }) {
  const { asset, networks } = coin;
  const { networkOf, isFound, t } = choice;
  const chosen = networkOf(coin);
  return (
    <fieldset class="networks">
      <legend class="quiet">
        {asset} · {t('network_legend')}
      </legend>
      {networks.map((option) => (
        <label key={option.network} class="pill" hidden={!isFound(option)}>
          <input type="radio" name={`network_${asset}`} value={option.network} checked={option === chosen} />
          <span class="tile-face">
            <NetworkNames option={option} />
            <TimeAndCost option={option} t={t} />
          </span>
        </label>
      ))}
      {!isDirect(chosen) && <p class="quiet">{t('conversion_note')}</p>}
    </fieldset>
  );
}

/** The network's name, and the one at exchanges unless it says nothing new. */
function NetworkNames({ option: { asset, network } }: { option: Option }) {
  const name = networkName(network);
  const [atExchanges = ''] = exchangeNames(network).split(', ');
  const isNew = atExchanges !== asset && !atExchanges.toLowerCase().includes(name.toLowerCase());
  return (
    <span>
      <b>{name}</b>
      {isNew && (
        <>
          {' · '}
          <bdi dir="ltr">{atExchanges}</bdi>
        </>
      )}
    </span>
  );
}

function TimeAndCost({ option, t }: { option: Option; t: Translate }) {
  const { typical_seconds: seconds } = option;
  return (
    <span class="quiet estimate">
      <span class="visually-hidden">, </span>
      {seconds && `${duration(seconds, t)} · `}
      {t(isDirect(option) ? 'no_conversion' : 'fee_conversion')}
    </span>
  );
}
