import { findAsset, MAX_SENT_TOGETHER, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { PreparedTransferJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import { paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Account } from '../../platform/caller.ts';
import { fail, invariant, TemporaryError } from '../../platform/errors.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import type { Outgoing } from './outgoing.ts';

const RETRY_AFTER_SECONDS = 10;

export type Sendable = Outgoing & { toAddress: string };

/** What a wallet needs to send transfers of one network. */
export interface PreparedSending {
  network: ReceiveNetwork;
  transfers: PreparedTransferJson[];
  /** Unsigned, in base64, with as many transfers as fit into each; none where a page can build them. */
  transactions: string[];
}

/** Nothing changes by it. */
export async function prepareSending(
  ctx: Context,
  account: Account,
  wanted: readonly Outgoing[],
  from: string,
): Promise<PreparedSending> {
  requireLive(account);
  const sendable = wanted.map(requireSendable);
  const [first] = sendable;
  invariant(first, 'the schema asks for at least one');
  const { network } = first;
  if (sendable.some((one) => one.network !== network)) refuse('One signature sends transfers of one network.');
  const sender = validateAddress(network, from.trim());
  if (!sender.ok) return fail('invalid_request', { param: 'from', message: sender.why });
  const chain = ctx.chains.get(network);
  const transactions: string[] = [];
  if (chain?.buildTransfer) {
    await Promise.all(sendable.map((one) => requireFit(ctx, account, one)));
    for (const [one, ...rest] of inGroups(sendable, MAX_SENT_TOGETHER[NETWORKS[network].family])) {
      invariant(one, 'a group has a member');
      const request = { ...transferOf(one), from: sender.address, reference: null, also: rest.map(transferOf) };
      transactions.push(await chain.buildTransfer(request).catch(failAsUnavailable));
    }
  }
  const transfers = sendable.map((one) => ({
    id: one.id,
    to: one.toAddress,
    coin_amount: presentUnits(one.amountUnits, one.asset, network),
    uri: NETWORKS[network].family === 'evm' ? uriOf(ctx, one) : null,
  }));
  return { network, transfers, transactions };
}

export function requireLive({ livemode }: Account): void {
  if (!livemode) refuse('In test mode there is nothing to send.');
}

function requireSendable(one: Outgoing): Sendable {
  requirePlanned(one);
  const { id, toAddress } = one;
  return toAddress === null ? refuse(`${id} has no recipient.`) : { ...one, toAddress };
}

export function requirePlanned({ id, status }: Outgoing): void {
  if (status !== 'planned') refuse(`${id} is ${status}. Only those that are \`planned\` can be sent.`);
}

/** The network may not have answered when it was planned. What is sent to a token account is lost. */
async function requireFit(ctx: Context, account: Account, { id, network, toAddress }: Sendable): Promise<void> {
  const { unfit } = await lookUpAddress(ctx, account, { network, address: toAddress });
  if (unfit !== null) refuse(`${id} cannot be sent to ${toAddress}. ${unfit}`);
}

function refuse(message: string): never {
  return fail('invalid_payment_state', { message });
}

export function inGroups<One>(all: readonly One[], size: number): One[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

function transferOf({ toAddress: to, asset, amountUnits }: Sendable) {
  return { to, asset, amountUnits };
}

function uriOf({ config }: Context, { toAddress: to, asset, network, amountUnits }: Sendable): string | null {
  const known = findAsset(asset, network);
  invariant(known, 'what is sent is on the Safe List');
  const { tokens, chainId } = config.networks[network];
  return paymentUri({ livemode: true, asset: known, to, amountUnits, reference: null, label: null, tokens, chainId });
}

export function failAsUnavailable(error: unknown): never {
  if (!(error instanceof TemporaryError)) throw error;
  return fail('service_unavailable', {
    message: 'The network is unavailable. Try again after `Retry-After` seconds.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: error,
  });
}
