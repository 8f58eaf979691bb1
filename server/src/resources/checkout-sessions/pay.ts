import { findPayAsset, NETWORK_SLUGS, NETWORKS, type Asset, type BodyOf, type endpoints } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import { findAddressRoles } from '../outgoing-transfers/store.ts';
import { lookUpAddress } from '../payout-wallets/look-up-address.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import { isSignedBy, senderText } from '../../settlement/attribution/claim.ts';
import { assertOpen, type Sender } from './choice.ts';
import { chooseDirect } from './choose-direct.ts';
import { chooseRoute } from './choose-route.ts';
import { tokensOf } from './order-checks.ts';
import { findPublicView, type PublicView } from './public-session.ts';

export type PayRequest = BodyOf<typeof endpoints.payPublicSession>;

/**
 * The customer chooses an asset: starts the payment, or changes its asset before anything was sent. `client` is null
 * for helpers.
 */
export async function paySession(
  ctx: Context,
  sessionId: string,
  request: PayRequest,
  client: Client | null,
): Promise<PublicView> {
  const view = await findPublicView(ctx, sessionId);
  const asset = readPayAsset(request, view);
  const sender = await readSender(view, asset, request);
  assertOpen(view.payment, view.now);

  const isDirect = asset.key === receiveAssetOf(view.payment).key;
  await (isDirect
    ? chooseDirect(ctx, view, { sender, client })
    : chooseRoute(ctx, view, {
        pay: asset,
        refundAddress: await readRefundAddress(ctx, view, asset, { text: request.refund_address, client }),
        client,
      }));
  return findPublicView(ctx, sessionId);
}

function readPayAsset(request: PayRequest, { session }: PublicView): Asset {
  const asset = findPayAsset(request.pay_asset, request.pay_network);
  if (!asset) {
    const isNetwork = (NETWORK_SLUGS as string[]).includes(request.pay_network.toLowerCase());
    return fail('invalid_route', {
      param: isNetwork ? 'pay_asset' : 'pay_network',
      message: `${request.pay_asset} on ${request.pay_network} is not supported.`,
    });
  }
  if (!session.acceptedAssets.includes(asset.key)) {
    fail('invalid_route', {
      param: 'pay_asset',
      message: `This checkout does not accept ${asset.asset} on ${asset.network}. It accepts ${session.acceptedAssets.join(', ')}.`,
    });
  }
  return asset;
}

/** The refund address for a failed conversion. There is no default, neither the service's wallet nor the merchant's. */
async function readRefundAddress(
  ctx: Context,
  { session }: PublicView,
  asset: Asset,
  { text, client }: { text: string | undefined; client: Client | null },
): Promise<string> {
  if (text === undefined)
    return fail('invalid_route', {
      param: 'refund_address',
      message:
        `A payment in ${asset.asset} on ${asset.network} is converted. Send \`refund_address\`, the ` +
        'address that a failed conversion is returned to.',
    });
  const verdict = validateAddress(asset.network, text, tokensOf(ctx, asset));
  if (!verdict.ok) return fail('invalid_route', { param: 'refund_address', message: verdict.why });
  const { address } = verdict;
  const roles = await findAddressRoles(ctx.db, { id: session.accountId, livemode: session.livemode }, [address]);
  if (roles.size > 0)
    return fail('invalid_route', {
      param: 'refund_address',
      message: '`refund_address` belongs to the merchant or to a conversion. Send an address of the customer.',
    });
  // Elsewhere nothing but a contract can live at an address.
  if (NETWORKS[asset.network].family !== 'solana') return address;
  const { unfit } = await lookUpAddress(ctx, session, { network: asset.network, address }, { client });
  return unfit === null ? address : fail('invalid_route', { param: 'refund_address', message: unfit });
}

async function readSender({ session }: PublicView, asset: Asset, request: PayRequest): Promise<Sender | null> {
  if (request.sender === undefined) {
    if (request.sender_signature !== undefined)
      fail('invalid_route', { param: 'sender', message: 'Send the address that signed as `sender`.' });
    return null;
  }
  const verdict = validateAddress(asset.network, request.sender);
  if (!verdict.ok) return fail('invalid_route', { param: 'sender', message: verdict.why });
  if (request.sender_signature === undefined) return { address: verdict.address, proved: false };

  const message = senderText({ sessionId: session.id, network: asset.network, address: verdict.address });
  if (!(await isSignedBy(asset.network, { message, address: verdict.address, signature: request.sender_signature }))) {
    fail('invalid_signature', {
      param: 'sender_signature',
      message: 'The signature does not match this sender, session and network.',
    });
  }
  return { address: verdict.address, proved: true };
}
