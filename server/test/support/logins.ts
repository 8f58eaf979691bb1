import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Context } from '../../src/context.ts';
import type { Mailer } from '../../src/outside/mail/mail.ts';
import type { Mail } from '../../src/platform/mails/queue-mail.ts';
import { sendMails } from '../../src/resources/mails/send-mails.ts';
import type { Inject } from './app.ts';

/** A mailbox for all mail. */
export interface Mailbox extends Mailer {
  mails: Mail[];
}

export function mailbox(): Mailbox {
  const mails: Mail[] = [];
  return {
    mails,
    available: true,
    send: async (mail) => void mails.push(mail),
    close: async () => {},
  };
}

/** Sends all due mails. */
export async function deliverMails(ctx: Context): Promise<void> {
  while ((await sendMails(ctx)) > 0);
}

/** Sends due mails and returns the code of the newest mail to this address. */
export async function newestCode(ctx: Context, box: Mailbox, email: string): Promise<string> {
  await deliverMails(ctx);
  const mail = box.mails.findLast((one) => one.to === email.toLowerCase());
  return mail?.subject.split(' ').at(-1) ?? 'no mail';
}

/** Logs in by mail, as a merchant does, and returns the login token. */
export async function loginByEmail(
  { ctx, inject }: { ctx: Context; inject: Inject },
  box: Mailbox,
  email: string,
): Promise<string> {
  await inject('POST', '/v1/auth/email/start', { body: { email } });
  const answer = await inject('POST', '/v1/auth/email/verify', {
    body: { email, code: await newestCode(ctx, box, email) },
  });
  return answer.body.data.session_token;
}

export interface TestWallet {
  network: 'ethereum' | 'solana';
  address: string;
  sign(message: string): Promise<string>;
}

export function ethereumWallet(): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return { network: 'ethereum', address: account.address, sign: (message) => account.signMessage({ message }) };
}

export function solanaWallet(): TestWallet {
  const secret = ed25519.utils.randomSecretKey();
  return {
    network: 'solana',
    address: base58.encode(ed25519.getPublicKey(secret)),
    sign: async (message) => base58.encode(ed25519.sign(new TextEncoder().encode(message), secret)),
  };
}

/** Logs in by a wallet's signature and returns the response of `/auth/verify`. */
export async function loginByWallet(
  inject: Inject,
  wallet: TestWallet,
): Promise<{ session_token: string; payout_wallet_id: string }> {
  const { address, network } = wallet;
  const nonce = await inject('POST', '/v1/auth/nonce', { body: { address, network } });
  const answer = await inject('POST', '/v1/auth/verify', {
    body: { address, network, signature: await wallet.sign(nonce.body.data.nonce) },
  });
  return answer.body.data;
}
