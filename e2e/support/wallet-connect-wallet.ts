import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address, Hex } from 'viem';
import type { TestChain } from '@quittance/server/testing/anvil';

// The wallet's side of WalletConnect 2, written from its specification with Node's own cryptography, so that it shares
// no mistake with the page.

interface Message {
  id: number;
  method?: string;
  params?: any;
  result?: unknown;
}

export interface RemoteWallet extends Disposable {
  /** The page's description of itself. */
  peer(): { name: string; url: string } | undefined;
  /** What the page asked for, in order. */
  asked: { method: string; params: readonly unknown[] }[];
  isEnded(): boolean;
}

/** Scans a code: connects to the page, and answers its requests on the local chain. */
export function scanCode(
  uri: string,
  options: { relayUrl: string; chain: TestChain; account: Address; reaction?: 'approve' | 'reject' | 'decline' },
): RemoteWallet {
  const { relayUrl, chain, account, reaction = 'approve' } = options;
  const [, pairing = '', query = ''] = /^wc:([0-9a-f]{64})@2\?(.*)$/.exec(uri) ?? [];
  const pairingKey = Buffer.from(new URLSearchParams(query).get('symKey') ?? '', 'hex');
  const keys = new Map([[pairing, pairingKey]]);
  const asked: RemoteWallet['asked'] = [];
  let peer: { name: string; url: string } | undefined;
  let isEnded = false;
  let lastId = Date.now() * 1000;

  const socket = new WebSocket(`${relayUrl}/?auth=${token(relayUrl)}&projectId=wallet`);
  const call = (method: string, params: object) =>
    socket.send(JSON.stringify({ id: ++lastId, jsonrpc: '2.0', method, params }));
  const publish = (topic: string, tag: number, message: object) =>
    call('irn_publish', {
      topic,
      tag,
      ttl: 300,
      message: seal(keys.get(topic) as Buffer, { jsonrpc: '2.0', ...message }),
    });

  socket.onopen = () => call('irn_subscribe', { topic: pairing });
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data));
    if (method !== 'irn_subscription') return;
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: true }));
    const { topic, message } = params.data;
    let text: Message;
    try {
      text = unseal(keys.get(topic) as Buffer, message) as Message;
    } catch {
      // The code was not the page's: this wallet can read nothing, and can only say something unreadable.
      return publish(topic, 1101, { id: 1, result: true });
    }
    void hear(topic, text);
  };

  async function hear(topic: string, { id, method, params }: Message): Promise<void> {
    if (method === 'wc_sessionPropose') return propose(id, params);
    if (method === 'wc_sessionDelete') isEnded = true;
    if (method !== 'wc_sessionRequest') return;
    asked.push(params.request);
    if (reaction === 'decline') return publish(topic, 1109, { id, error: { code: 5000, message: 'User rejected.' } });
    const hash = await chain.rpc<Hex>(params.request.method, params.request.params);
    publish(topic, 1109, { id, result: hash });
  }

  function propose(id: number, { proposer, optionalNamespaces }: any): void {
    peer = proposer.metadata;
    if (reaction === 'reject') return publish(pairing, 1120, { id, error: { code: 5000, message: 'User rejected.' } });
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const own = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(proposer.publicKey) });
    const key = Buffer.from(hkdfSync('sha256', shared, Buffer.alloc(0), Buffer.alloc(0), 32));
    const topic = createHash('sha256').update(key).digest('hex');
    keys.set(topic, key);
    call('irn_subscribe', { topic });
    const { chains, methods, events } = optionalNamespaces.eip155;
    // As quick as some wallets: the session is settled before the page can know its topic.
    publish(topic, 1102, {
      id: ++lastId,
      method: 'wc_sessionSettle',
      params: {
        relay: { protocol: 'irn' },
        namespaces: { eip155: { accounts: chains.map((one: string) => `${one}:${account}`), methods, events } },
        controller: { publicKey: own, metadata: { name: 'Moss Wallet', description: '', url: '', icons: [] } },
        expiry: Math.floor(Date.now() / 1000) + 604_800,
      },
    });
    publish(pairing, 1101, { id, result: { relay: { protocol: 'irn' }, responderPublicKey: own } });
  }

  return {
    asked,
    peer: () => peer,
    isEnded: () => isEnded,
    [Symbol.dispose]: () => socket.close(),
  };
}

function seal(key: Buffer, message: object): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(message)), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([Buffer.of(0), nonce, sealed]).toString('base64');
}

function unseal(key: Buffer, envelope: string): unknown {
  const bytes = Buffer.from(envelope, 'base64');
  const decipher = createDecipheriv('chacha20-poly1305', key, bytes.subarray(1, 13), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(13, -16)), decipher.final()]).toString());
}

function publicKeyOf(hex: string) {
  const x = Buffer.from(hex, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

function token(audience: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iss = `did:key:z${base58.encode(Buffer.concat([Buffer.of(0xed, 0x01), raw]))}`;
  const content = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({ iss, sub: 'wallet', aud: audience, iat: now, exp: now + 600 })}`;
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`;
}
