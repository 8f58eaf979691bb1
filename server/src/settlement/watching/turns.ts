import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { attributeQueued } from '../attribution/attribute-queued.ts';
import { startOfRounds } from '../verification/rounds.ts';
import { verifyTransfers } from '../verification/verify-transfers.ts';
import { EVERY_TURN, readNetwork } from './read-turn.ts';
import type { Pace } from './rest.ts';
import { noteView, type Tick, type Watcher } from './watcher.ts';

const MAX_QUEUE_TURNS = 100;

/** One turn of everything, in order: for tests and commands, which do not run the loops. May be interrupted anywhere. */
export async function tick(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  pace: Pace = EVERY_TURN,
): Promise<Tick> {
  const became = await readNetwork(ctx, network, watcher, pace);
  if (became === 'idle' || became === 'elsewhere') return became;
  for (let turn = 0; turn < MAX_QUEUE_TURNS && (await attributeNetwork(ctx, network, watcher)); turn += 1);
  await verifyNetwork(ctx, network, watcher);
  return became;
}

/** True if the queue was not empty. Only the process that reads a network works on its queue. */
export async function attributeNetwork(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<boolean> {
  const state = watcher.networks.get(network);
  return state?.view !== undefined && (await attributeQueued(ctx, network, state.position)) > 0;
}

export async function verifyNetwork(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<void> {
  const [chain, state] = [ctx.chains.get(network), watcher.networks.get(network)];
  if (!chain || !state?.view) return;
  const { view } = state;
  state.view = { ...view, forkedAt: null };
  if (state.rounds?.chain !== chain) state.rounds = { ...startOfRounds(), chain };
  try {
    await verifyTransfers(ctx, chain, view, state.rounds);
  } catch (error) {
    if (state.view) noteView(state, { ...state.view, forkedAt: view.forkedAt });
    throw error;
  }
}
