import { createEvmChain } from '../../../src/outside/chains/evm/chain.ts';
import { memoBytes } from '../../../src/outside/chains/pure/memo.ts';
import { fromHexAddress } from '../../../src/outside/chains/pure/tron-address.ts';
import { TEMPO as TEMPO_DIALECT } from '../../../src/outside/chains/tempo/dialect.ts';
import { createTronChain } from '../../../src/outside/chains/tron/chain.ts';
import { calldata, transferCalldata } from '../anvil.ts';
import { startRpcProxy } from '../evm-rpc-proxy.ts';
import { inTempoDialect } from '../tempo-answers.ts';
import { startTronRpc } from '../tron-rpc.ts';
import { digitsOf, liedAbout, type Money, tokenMoney } from './evm.ts';

const checkout: Money['checkout'] = async (shop, expiresIn) => {
  const session = await shop.session({ expires_in: expiresIn });
  const { payment } = await shop.choose(session.id);
  const tag = Buffer.from(payment.reference ?? '', 'utf8');
  return { id: session.id, amountUnits: BigInt(payment.amount.replace('.', '')), tag };
};

/** USDT on Tron, whose nodes trace nothing and whose transfers carry no reference. */
export const TRON = liedAbout({
  ...tokenMoney((to, { amountUnits }) => transferCalldata(to, amountUnits)),
  place: {
    network: 'tron',
    asset: 'USDT',
    addressOf: fromHexAddress,
    open: createTronChain,
  },
  node: startTronRpc,
  shownHash: (hash) => hash.slice(2),
  checkout,
});

const MEMO_TOKEN = tokenMoney((to, { amountUnits, tag }) =>
  calldata('MemoToken', 'transferWithMemo', [to, amountUnits, memoBytes(Buffer.from(tag).toString('utf8'))]),
);

/** USDT on Tempo, where the memo names the order and the amount does not. */
export const TEMPO = liedAbout({
  ...MEMO_TOKEN,
  place: {
    network: 'tempo',
    asset: 'USDT',
    addressOf: (hex) => hex,
    open: (options, log) => createEvmChain({ network: 'tempo', ...options, dialect: TEMPO_DIALECT }, log),
  },
  coin: 'MemoToken',
  async node(url) {
    const node = await startRpcProxy(url);
    node.lie = inTempoDialect;
    return node;
  },
  checkout,
  ways: {
    ...MEMO_TOKEN.ways,
    async memo({ shop, lies }, order) {
      lies.marks.set(digitsOf(order.tag), 'everywhere');
      return MEMO_TOKEN.send(shop, order);
    },
  },
  hides: [...MEMO_TOKEN.hides, 'memo'],
});
