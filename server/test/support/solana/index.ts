import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { type Address, address, type Instruction, type KeyPairSigner, lamports } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
} from '@solana-program/token';
import { Ledger, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './ledger.ts';
import { answerCall } from './rpc.ts';
import { serveLedger } from './server.ts';
import { memo, newSigner, signAndEncode, solTransfer, tableAccount, tokenTransfer } from './transactions.ts';

/** A local Solana cluster of one node around the real runtime. Tests produce its slots, fork it and move its time. */
export interface TestSolana extends AsyncDisposable {
  url: string;
  genesisHash: string;
  ledger: Ledger;
  /** Pays by default, and may mint every mint created here. */
  payer: KeyPairSigner;
  rpc<T = unknown>(method: string, params?: readonly unknown[]): T;
  head(): { number: bigint; hash: string; time: Date };
  /** Produces this number of slots at this interval; `skip` leaves that many without a block before the first. */
  slots(count?: number, options?: { intervalMs?: number; skip?: number }): void;
  /** Produces slots until the newest block is finalized. */
  finalize(): void;
  newWallet(lamportsHeld?: bigint): Promise<KeyPairSigner>;
  fund(to: string, amount: bigint): void;
  /** A mint of six decimals, at a given address if there is one; `token-2022` makes a look-alike. */
  createMint(options?: { decimals?: number; at?: string; program?: 'token' | 'token-2022' }): Promise<Address>;
  /** Mints into the wallet's associated account, created if it is missing. */
  mint(mint: string, to: string, amount: bigint, options?: SendOptions): Promise<string>;
  tokenAccount(mint: string, owner: string): Promise<Address>;
  balance(mint: string, owner: string): Promise<bigint>;
  transferSol(
    request: SendOptions & { to: string; amount: bigint; references?: readonly string[]; memo?: string },
  ): Promise<string>;
  transferToken(
    request: SendOptions & {
      mint: string;
      to: string;
      amount: bigint;
      references?: readonly string[];
      memo?: string;
      checked?: boolean;
    },
  ): Promise<string>;
  /** Signs, sends and includes any instructions; returns the signature. */
  send(instructions: readonly Instruction[], options?: SendOptions): Promise<string>;
  /** Puts addresses into a look-up table. */
  createTable(addresses: readonly string[]): Promise<Address>;
  /**
   * Reverts the newest slots and continues with as many other ones; the n-th of them again holds the transactions with
   * `slot: n`, counted from 0.
   */
  fork(depth: number, again?: readonly { slot: number; signature: string }[]): void;
  stop(): Promise<void>;
}

export interface SendOptions {
  from?: KeyPairSigner;
  /** The fee payer, if it is not the sender. */
  feePayer?: KeyPairSigner;
  tables?: readonly string[];
  legacy?: boolean;
  /** Whether it gets a slot at once; otherwise it waits for the next. True unless slots are automatic. */
  close?: boolean;
}

export interface StartSolana {
  /** Produces slots automatically at this pace; without it they are produced by hand. */
  slotMs?: number;
  /** How many slots the finalized block is behind the newest: 32 on the real network, 4 here. */
  finalizedLag?: number;
  confirmedLag?: number;
  startsAt?: Date;
  /** Distinguishes clusters. */
  name?: string;
  /** Replaces the one derived from the name, because published clients identify clusters by it. */
  genesisHash?: string;
}

export { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './ledger.ts';

const SOL = 1_000_000_000n;

/** Starts a node on a free port of this machine. */
export async function startSolana(options: StartSolana = {}): Promise<TestSolana> {
  const isManual = options.slotMs === undefined;
  const genesisHash =
    options.genesisHash ?? base58.encode(sha256(new TextEncoder().encode(`cluster ${options.name ?? 'one'}`)));
  const ledger = new Ledger({
    finalizedLag: options.finalizedLag ?? 4,
    confirmedLag: options.confirmedLag ?? 0,
    startsAt: options.startsAt ?? null,
  });
  const node = { genesisHash, closesAtOnce: () => isManual };
  const { url, stop } = await serveLedger(ledger, node);
  const timer = isManual ? undefined : setInterval(() => ledger.close(), options.slotMs).unref();
  const payer = await newSigner();
  const minted = new Map<string, { program: Address; decimals: number }>();
  ledger.svm.airdrop(payer.address, lamports(1_000_000n * SOL));

  const chain: TestSolana = {
    url,
    genesisHash,
    ledger,
    payer,
    rpc: <T>(method: string, params: readonly unknown[] = []) => answerCall(ledger, node, method, params) as T,
    head: () => ({ number: ledger.head.slot, hash: ledger.head.blockhash, time: ledger.head.time }),
    slots(count = 1, { intervalMs = 0, skip = 0 } = {}) {
      for (let made = 0; made < count; made++) ledger.close({ laterMs: intervalMs, skip: made === 0 ? skip : 0 });
    },
    finalize: () => chain.slots((options.finalizedLag ?? 4) + (options.confirmedLag ?? 0)),
    async newWallet(held = 10n * SOL) {
      const wallet = await newSigner();
      if (held > 0n) chain.fund(wallet.address, held);
      return wallet;
    },
    fund(to, amount) {
      ledger.svm.airdrop(address(to), lamports(amount));
    },
    async createMint({ decimals = 6, at, program = 'token' } = {}) {
      const mint = at === undefined ? (await newSigner()).address : address(at);
      const owner = program === 'token' ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM;
      ledger.svm.setAccount({
        address: mint,
        lamports: lamports(SOL),
        programAddress: owner,
        executable: false,
        space: 82n,
        data: mintData(payer.address, decimals),
      });
      minted.set(mint, { program: owner, decimals });
      return mint;
    },
    async mint(mint, to, amount, send) {
      const token = await chain.tokenAccount(mint, to);
      const { program } = known(mint);
      return chain.send(
        [
          getCreateAssociatedTokenIdempotentInstruction({
            payer,
            ata: token,
            owner: address(to),
            mint: address(mint),
            tokenProgram: program,
          }),
          getMintToInstruction(
            { mint: address(mint), token, mintAuthority: payer, amount },
            { programAddress: program },
          ),
        ],
        send,
      );
    },
    async tokenAccount(mint, owner) {
      const [token] = await findAssociatedTokenPda({
        owner: address(owner),
        mint: address(mint),
        tokenProgram: known(mint).program,
      });
      return token;
    },
    async balance(mint, owner) {
      const account = ledger.svm.getAccount(await chain.tokenAccount(mint, owner));
      return account.exists && account.data.length >= 165
        ? Buffer.from(account.data.slice(64, 72)).readBigUInt64LE()
        : 0n;
    },
    transferSol({ to, amount, references, memo: text, ...send }) {
      return chain.send([...memo(text), solTransfer(send.from ?? payer, to, amount, references)], send);
    },
    async transferToken({ mint, to, amount, references, memo: text, checked, ...send }) {
      const from = send.from ?? payer;
      const { program, decimals } = known(mint);
      const source = await chain.tokenAccount(mint, from.address);
      const destination = await chain.tokenAccount(mint, to);
      return chain.send(
        [
          getCreateAssociatedTokenIdempotentInstruction({
            payer: send.feePayer ?? from,
            ata: destination,
            owner: address(to),
            mint: address(mint),
            tokenProgram: program,
          }),
          ...memo(text),
          tokenTransfer({ source, mint, destination, authority: from, amount, decimals, program, references, checked }),
        ],
        send,
      );
    },
    async send(instructions, { from, feePayer, tables = [], legacy = false, close = isManual } = {}) {
      const wire = await signAndEncode(ledger, instructions, { feePayer: feePayer ?? from ?? payer, tables, legacy });
      const { signature } = ledger.execute(wire);
      if (close) ledger.close();
      return signature;
    },
    async createTable(addresses) {
      const { address: table } = await newSigner();
      ledger.svm.setAccount(tableAccount(table, addresses));
      return table;
    },
    fork(depth, again = []) {
      const gone = new Map(ledger.rewind(depth).map((transaction) => [transaction.signature, transaction.wire]));
      for (let slot = 0; slot < depth; slot++) {
        for (const entry of again.filter((one) => one.slot === slot))
          ledger.execute(gone.get(entry.signature) as Uint8Array);
        ledger.close();
      }
    },
    async stop() {
      clearInterval(timer);
      await stop();
    },
    [Symbol.asyncDispose]: () => chain.stop(),
  };
  return chain;

  function known(mint: string) {
    return minted.get(mint) ?? { program: TOKEN_PROGRAM, decimals: 6 };
  }
}

function mintData(authority: Address, decimals: number): Uint8Array {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(base58.decode(authority), 4);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  return data;
}
