import {
  type Asset,
  findAsset,
  MAX_PAYOUT_LINES,
  NETWORKS,
  RECEIVE_ASSETS,
  type ReceiveNetwork,
} from '@quittance/contract';
import type { PayoutCheckJson, PayoutWarning } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { parseUnits } from '../../platform/money.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { type AddressRole, findAddressRoles } from '../outgoing-transfers/store.ts';
import { validateAddress } from '../payout-wallets/validate-address.ts';
import type { PayoutLine } from './payout.ts';
import { type CsvLine, readCsv } from './read-csv.ts';
import { findOpenPayouts } from './store.ts';

const COLUMNS = ['address', 'asset', 'network', 'amount', 'note'];
const MAX_NOTE_LENGTH = 200;
const AMOUNT = /^(0|[1-9][0-9]{0,30})(\.[0-9]{1,18})?$/;
/** The most that an instruction of Solana moves; no coin elsewhere has as much either. */
const MAX_UNITS = { solana: 2n ** 64n - 1n, otherwise: 10n ** 36n };

export interface CheckedCsv {
  lines: PayoutLine[];
  problems: PayoutCheckJson['problems'];
}

/** What a CSV of payouts says, line by line. */
export async function checkCsv(ctx: Context, db: Db, account: Account, csv: string): Promise<CheckedCsv> {
  const all = readCsv(csv);
  const [head] = all;
  const hasHead = head && 'fields' in head && head.fields[0]?.toLowerCase() === COLUMNS[0];
  const rows = hasHead ? all.slice(1) : all;
  if (rows.length === 0)
    return { lines: [], problems: [{ line: 1, problem: `No line has a payout: ${COLUMNS.join(', ')}.` }] };
  const [tooMany] = rows.slice(MAX_PAYOUT_LINES);
  if (tooMany)
    return {
      lines: [],
      problems: [{ line: tooMany.line, problem: `An import has at most ${MAX_PAYOUT_LINES} payouts.` }],
    };
  const read = rows.map((row) => readLine(ctx, row));
  const addresses = new Set(read.flatMap((row) => ('toAddress' in row ? [row.toAddress] : [])));
  const roles = await findAddressRoles(db, account, [...addresses]);
  const lines: PayoutLine[] = [];
  const problems: CheckedCsv['problems'] = [];
  for (const row of read) {
    const problem = 'problem' in row ? row.problem : refusalOf(roles.get(row.toAddress));
    if (problem !== null) problems.push({ line: row.line, problem });
    else if ('toAddress' in row) lines.push(row);
  }
  return { lines, problems };
}

function readLine({ config }: Context, row: CsvLine): PayoutLine | { line: number; problem: string } {
  if ('problem' in row) return row;
  const refuse = (problem: string) => ({ line: row.line, problem });
  const { line, fields } = row;
  const [address = '', symbol = '', networkName = '', amount = '', note = ''] = fields;
  if (fields.length < COLUMNS.length - 1 || fields.length > COLUMNS.length)
    return refuse(`${fields.length} fields. Expected are ${COLUMNS.join(', ')}, of which the note may be missing.`);
  const network = networkName.toLowerCase() as ReceiveNetwork;
  if (!RECEIVE_ASSETS.some((one) => one.network === network))
    return refuse(`The network must be one of ${listOf(RECEIVE_ASSETS.map((one) => one.network))}.`);
  const asset = findAsset(symbol, network);
  if (!asset || !RECEIVE_ASSETS.includes(asset)) {
    const here = RECEIVE_ASSETS.filter((one) => one.network === network).map((one) => one.asset);
    return refuse(`The asset on ${NETWORKS[network].name} must be one of ${listOf(here)}.`);
  }
  const verdict = validateAddress(network, address, Object.values(config.networks[network].tokens));
  if (!verdict.ok) return refuse(verdict.why);
  const amountUnits = readAmount(amount, asset);
  if (typeof amountUnits === 'string') return refuse(amountUnits);
  if (note.length > MAX_NOTE_LENGTH) return refuse(`The note must have at most ${MAX_NOTE_LENGTH} characters.`);
  return { line, toAddress: verdict.address, asset: asset.asset, network, amountUnits, note: note || null };
}

/** In base units, or what is wrong. */
function readAmount(text: string, { asset, network, decimals }: Asset): bigint | string {
  if (!AMOUNT.test(text)) return 'The amount must be a number with a decimal point, such as 12.50.';
  const [, fraction = ''] = text.split('.');
  if (fraction.length > decimals) return `The amount must have at most ${decimals} decimals.`;
  const units = parseUnits(text, decimals);
  if (units === 0n) return 'The amount must be more than zero.';
  const most = MAX_UNITS[network === 'solana' ? 'solana' : 'otherwise'];
  return units <= most
    ? units
    : `The amount must be at most ${presentUnits(most, asset, network)}, which no transfer exceeds.`;
}

function refusalOf(role: AddressRole | undefined): string | null {
  if (role === 'merchant') return 'This is your own payout wallet.';
  return role === 'provider' ? 'This is the deposit address of a conversion, not of a wallet.' : null;
}

function listOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}

/** The same for the page, with what deserves a second look. */
export async function previewCsv(ctx: Context, account: Account, csv: string): Promise<PayoutCheckJson> {
  const { lines, problems } = await checkCsv(ctx, ctx.db, account, csv);
  const open = new Set((await findOpenPayouts(ctx.db, account)).map(keyOf));
  const times = new Map<string, number>();
  for (const line of lines) times.set(keyOf(line), (times.get(keyOf(line)) ?? 0) + 1);
  const warningsOf = (line: PayoutLine): PayoutWarning[] => [
    ...((times.get(keyOf(line)) ?? 0) > 1 ? (['repeated'] as const) : []),
    ...(open.has(keyOf(line)) ? (['planned_already'] as const) : []),
  ];
  return {
    problems,
    lines: lines.map((one) => ({
      line: one.line,
      to: one.toAddress,
      asset: one.asset,
      network: one.network,
      amount: presentUnits(one.amountUnits, one.asset, one.network),
      note: one.note,
      warnings: warningsOf(one),
    })),
  };
}

function keyOf({ toAddress, asset, network, amountUnits }: Omit<PayoutLine, 'line' | 'note'>): string {
  return `${network} ${asset} ${toAddress} ${amountUnits}`;
}
