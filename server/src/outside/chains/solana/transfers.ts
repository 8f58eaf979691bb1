import type { AssetSymbol } from '@quittance/contract';
import type { BlockRef, RevertedPayment, Transfer } from '../chain.ts';
import { movementsOf, type Movement } from './movements.ts';
import { boundReferences, distinctBytes, looseReferences, writtenReferences } from './references.ts';
import type { Block, Changes, ListedTransaction, TokenBalance, Transaction } from './shapes.ts';
import { TOKEN_PROGRAM } from './programs.ts';
import type { Solana, WatchedWallets } from './solana.ts';

// Explicit transfers are numbered by execution order, net gains by their account from here.
const NET_INDEX = 1_000_000;

/** Money received by one watched wallet, with the instructions that brought it. */
interface InboundTransfer {
  index: number;
  asset: AssetSymbol;
  from: string | null;
  to: string;
  amountUnits: bigint;
  movements: readonly Movement[];
  /** Only the balance shows it: the instructions have a different amount, or none. */
  isUnexplained: boolean;
}

const MAX_UNPROVEN = 4;

/**
 * Every transfer of one transaction to watched wallets. The balance increase of a wallet counts. If the instructions
 * add up to exactly that amount, each of them is a transfer; otherwise the increase is one. The payer of such an
 * increase is unknown, so it has no sender and carries no reference.
 */
export function transfersOf(
  solana: Solana,
  seen: { transaction: Transaction; block: Block },
  watched: WatchedWallets,
): Transfer[] {
  const { transaction, block } = seen;
  const inbound = inboundOf(solana, transaction, watched);
  const carried = inbound.map((money) => carriedBy(transaction, money, { isAlone: inbound.length === 1 }));
  const proven = carried.flat();
  return inbound.map(({ movements, isUnexplained: _, ...money }, place) => {
    const written = [...boundReferences(transaction, movements), ...writtenReferences(transaction, movements)];
    const unproven = distinctBytes(written, proven).slice(0, MAX_UNPROVEN);
    return {
      network: 'solana',
      txHash: transaction.signature,
      ...money,
      block: toBlockRef(block),
      carried: carried[place] ?? [],
      ...(unproven.length > 0 && { unproven }),
    };
  });
}

function carriedBy(
  transaction: Transaction,
  { movements, from, isUnexplained }: InboundTransfer,
  { isAlone }: { isAlone: boolean },
): Uint8Array[] {
  if (isUnexplained) return [];
  return [
    ...boundReferences(transaction, movements),
    ...(isAlone ? looseReferences(transaction, movements, from) : []),
  ];
}

/**
 * All references that a transfer may carry for any set of watched wallets: at most those that it would carry as the
 * only transfer.
 */
export function mayCarry(solana: Solana, transaction: Transaction, transfer: Transfer): Uint8Array[] {
  const found = inboundOf(solana, transaction, new Set([transfer.to])).find(({ index }) => index === transfer.index);
  return found ? carriedBy(transaction, found, { isAlone: true }) : [];
}

/** The payments to watched wallets that a failed transaction attempted, with their references. */
export function revertedPayments(solana: Solana, transaction: Transaction, watched: WatchedWallets): RevertedPayment[] {
  const owners = ownersOf(transaction);
  const meant = movementsOf(transaction).flatMap((movement) => {
    const owner = owners.get(movement.to);
    const to =
      movement.kind === 'lamports'
        ? transaction.keys[movement.to]?.address
        : owner && solana.mints.has(owner.mint)
          ? owner.owner
          : undefined;
    const payer =
      movement.from === null
        ? null
        : (owners.get(movement.from)?.owner ?? transaction.keys[movement.from]?.address ?? null);
    return to !== undefined && watched.has(to) ? [{ to, payer, movement }] : [];
  });
  return meant.map(({ to, payer, movement }) => ({
    txHash: transaction.signature,
    // Anyone can write an instruction that would debit another account, and let it fail.
    from: transaction.keys.some((key) => key.signer && key.address === payer) ? payer : null,
    to,
    amountUnits: movement.amountUnits,
    carried: [
      ...boundReferences(transaction, [movement]),
      ...(meant.length === 1 ? looseReferences(transaction, [movement], payer) : []),
    ],
  }));
}

/** Whether a transaction may concern watched wallets: a quick check before it is requested in full. */
export function concerns(listed: ListedTransaction, watched: WatchedWallets): boolean {
  return (
    listed.concernsAnyone === true ||
    listed.addresses.some((address) => watched.has(address)) ||
    listed.owners.some((owner) => watched.has(owner))
  );
}

export function toBlockRef(block: Block): BlockRef {
  return { number: block.slot, hash: block.hash, time: block.time };
}

function inboundOf(solana: Solana, transaction: Transaction, watched: WatchedWallets): InboundTransfer[] {
  if (transaction.failed) return [];
  const movements = movementsOf(transaction);
  return [...tokensIn(solana, transaction, movements, watched), ...lamportsIn(transaction, movements, watched)].sort(
    (a, b) => a.index - b.index,
  );
}

function tokensIn(
  solana: Solana,
  transaction: Transaction,
  movements: readonly Movement[],
  watched: WatchedWallets,
): InboundTransfer[] {
  const owners = ownersOf(transaction);
  const changes = tokenChanges(solana, transaction);
  return changes
    .filter(({ owner, units }) => units > 0n && watched.has(owner))
    .flatMap(({ owner, mint, units, account }): InboundTransfer[] => {
      const asset = solana.mints.get(mint) as AssetSymbol;
      const explicit = movements.filter((movement) => {
        const to = owners.get(movement.to);
        return (
          movement.kind === 'tokens' &&
          movement.amountUnits > 0n &&
          to?.owner === owner &&
          to.mint === mint &&
          (movement.from === null || owners.get(movement.from)?.owner !== owner)
        );
      });
      if (sum(explicit) === units) {
        return explicit.map((movement) => ({
          index: movement.ordinal,
          asset,
          to: owner,
          amountUnits: movement.amountUnits,
          movements: [movement],
          isUnexplained: false,
          from: movement.from === null ? null : (owners.get(movement.from)?.owner ?? null),
        }));
      }
      return [
        {
          index: NET_INDEX + account,
          asset,
          to: owner,
          amountUnits: units,
          movements: explicit,
          from: null,
          isUnexplained: true,
        },
      ];
    });
}

function lamportsIn(
  transaction: Transaction,
  movements: readonly Movement[],
  watched: WatchedWallets,
): InboundTransfer[] {
  return transaction.keys.flatMap(({ address: to }, place): InboundTransfer[] => {
    if (!watched.has(to)) return [];
    const units = lamportGain(transaction, place);
    const explicit = movements.filter(
      (movement) =>
        movement.kind === 'lamports' && movement.to === place && movement.from !== place && movement.amountUnits > 0n,
    );
    if (units <= 0n) return [];
    if (sum(explicit) === units) {
      return explicit.map((movement) => ({
        index: movement.ordinal,
        asset: 'SOL' as const,
        to,
        amountUnits: movement.amountUnits,
        movements: [movement],
        isUnexplained: false,
        from: movement.from === null ? null : (transaction.keys[movement.from]?.address ?? null),
      }));
    }
    return [
      {
        index: NET_INDEX + place,
        asset: 'SOL' as const,
        to,
        amountUnits: units,
        movements: explicit,
        from: null,
        isUnexplained: true,
      },
    ];
  });
}

/** The increase of a wallet's lamports. Its own fee and lamports from its own token accounts are not income. */
function lamportGain(transaction: Transaction, place: number): bigint {
  const wallet = transaction.keys[place]?.address;
  const takenOut = transaction.tokensBefore
    .filter((balance) => balance.owner === wallet)
    .map((balance) => -lamportChange(transaction, balance.accountIndex))
    .filter((lamports) => lamports > 0n);
  return lamportChange(transaction, place) - takenOut.reduce((a, b) => a + b, 0n);
}

/** Excludes the fee, which the first key pays. */
function lamportChange({ lamportsBefore, lamportsAfter, feeLamports }: Changes, place: number): bigint {
  return (lamportsAfter[place] as bigint) - (lamportsBefore[place] as bigint) + (place === 0 ? feeLamports : 0n);
}

/**
 * The change of each owner's balance of each supported mint over all of its accounts, and the first account that grew.
 */
function tokenChanges(solana: Solana, { tokensBefore, tokensAfter }: Changes) {
  const changes = new Map<string, { owner: string; mint: string; units: bigint; accounts: Map<number, bigint> }>();
  const add = (balance: TokenBalance, units: bigint) => {
    if (!isSupportedToken(solana, balance)) return;
    const key = `${balance.owner} ${balance.mint}`;
    const change = changes.get(key) ?? {
      owner: balance.owner,
      mint: balance.mint,
      units: 0n,
      accounts: new Map<number, bigint>(),
    };
    change.units += units;
    change.accounts.set(balance.accountIndex, (change.accounts.get(balance.accountIndex) ?? 0n) + units);
    changes.set(key, change);
  };
  for (const balance of tokensBefore) add(balance, -balance.amountUnits);
  for (const balance of tokensAfter) add(balance, balance.amountUnits);
  return [...changes.values()].map(({ accounts, ...change }) => ({
    ...change,
    account: Math.min(...[...accounts].filter(([, grown]) => grown > 0n).map(([account]) => account)),
  }));
}

/**
 * The owner of each token account: the previous owner for one that was closed or transferred, the new one for a new
 * account.
 */
export function ownersOf({ tokensBefore, tokensAfter }: Changes): Map<number, TokenBalance> {
  return new Map([...tokensAfter, ...tokensBefore].map((balance) => [balance.accountIndex, balance]));
}

/**
 * Only the issuers' mints of the classic token program. A token of the newer program may take a fee, or take the money
 * back.
 */
export function isSupportedToken(solana: Solana, balance: TokenBalance): boolean {
  return balance.program === TOKEN_PROGRAM && solana.mints.has(balance.mint);
}

function sum(movements: readonly Movement[]): bigint {
  return movements.reduce((total, movement) => total + movement.amountUnits, 0n);
}
