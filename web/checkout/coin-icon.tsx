import type { ComponentChildren } from 'preact';

/** A coin's icon, with a smaller icon of the network unless the network has the same one. */
export function CoinIcon({ asset, network }: { asset: string; network?: string }) {
  const coin = DISCS[asset] ?? { color: '#6b7280', sign: <Letters text={asset.slice(0, 1)} /> };
  const badge = network !== undefined && DISCS[network] !== coin ? DISCS[network] : undefined;
  return (
    <svg class="coin" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true" focusable="false">
      <circle cx="20" cy="20" r="18" fill={coin.color} />
      <g transform="translate(8 8)" fill="#fff">
        {coin.sign}
      </g>
      {badge && (
        <g transform="translate(24 24)">
          <circle cx="8" cy="8" r="8" class="coin-rim" />
          <circle cx="8" cy="8" r="6.5" fill={badge.color} />
          <g transform="translate(3.2 3.2) scale(.4)" fill="#fff">
            {badge.sign}
          </g>
        </g>
      )}
    </svg>
  );
}

function Letters({ text }: { text: string }) {
  return (
    <text x="12" y="12" text-anchor="middle" dominant-baseline="central" font-size="17" font-weight="700">
      {text}
    </text>
  );
}

const diamond = (
  <>
    <path d="M12 1 5 12.2l7 4.1 7-4.1z" />
    <path d="m5 13.9 7 9.1 7-9.1-7 4z" opacity=".75" />
  </>
);
const bars = (
  <>
    <path d="M6.5 4h14l-3.2 3.6h-14z" />
    <path d="M3.3 10.2h14l3.2 3.6h-14z" />
    <path d="M6.5 16.4h14L17.3 20h-14z" />
  </>
);
const squares = (
  <path d="m12 2 4 4-4 4-4-4zM4.5 9.5 7 12l-2.5 2.5L2 12zm15 0L22 12l-2.5 2.5L17 12zM12 9.5l2.5 2.5L12 14.5 9.5 12zM12 14l4 4-4 4-4-4z" />
);
const peak = <path d="M12 3 2.5 20h6.2L15 9zM16.5 13.5 12.8 20h8.7z" />;
const hexagons = <path d="M12 2.5 20 7v10l-8 4.5L4 17V7zm0 3.6L7.2 8.8v6.4l4.8 2.7 4.8-2.7V8.8z" fill-rule="evenodd" />;
const gem = (
  <path
    d="m3 4 14 2.3 4 4.2L11.5 22zm4.6 3.3 4.1 9.6 1-7zm8.1 1.3-.8 1.9 2.7-.4zm-3 4.2-.7 4.6 4.6-5.4z"
    fill-rule="evenodd"
  />
);
const arc = (
  <path d="M12 2 3.5 7v10l8.5 5 8.5-5V7zm-1.2 5h2.6l4.1 10.5h-2.7L12.1 10l-2.8 7.5H6.6z" fill-rule="evenodd" />
);

interface Disc {
  color: string;
  sign: ComponentChildren;
}

const ether: Disc = { color: '#5b6fd8', sign: diamond };
const sol: Disc = { color: '#6d3bd1', sign: bars };
const bitcoin: Disc = { color: '#e8860f', sign: <Letters text="₿" /> };
const bnb: Disc = { color: '#c99400', sign: squares };
const pol: Disc = { color: '#7a3fe0', sign: hexagons };
const avax: Disc = { color: '#d93a3b', sign: peak };
const tron: Disc = { color: '#d2182b', sign: gem };

/** By asset and by network. */
const DISCS: Record<string, Disc> = {
  USDC: { color: '#2775ca', sign: <Letters text="$" /> },
  USDT: { color: '#1a8f6c', sign: <Letters text="₮" /> },
  ETH: ether,
  BTC: bitcoin,
  SOL: sol,
  BNB: bnb,
  POL: pol,
  AVAX: avax,
  TRX: tron,
  ethereum: ether,
  base: { color: '#1652f0', sign: <rect x="5" y="5" width="14" height="14" rx="2" /> },
  polygon: pol,
  arbitrum: { color: '#2d5f8f', sign: arc },
  solana: sol,
  bitcoin,
  bnb,
  avalanche: avax,
  tron,
};
