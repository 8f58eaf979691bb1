import { type ReactNode, useState } from 'react';
import { create } from '../../lib/api.ts';
import { familyOf, networkName } from '../../../networks/networks.ts';
import { useT } from '../../lib/i18n.tsx';
import { useDebounced } from '../../lib/debounced.ts';
import { addressProblem } from '../../lib/typed-address.ts';
import { useAct, useAssets, useMode, useRead } from '../../lib/state.tsx';
import type { AddressCheckJson, AssetJson, PayoutWalletJson } from '../../lib/types.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Button, Notice, Problem, ServiceMessage, SelectField, TextField } from '../../ui/basic.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

const ENDS = 6;
const PLACEHOLDERS: Record<string, string> = { solana: '7vfC…', tron: 'TJRa…' };

export function AddWallet({ onClose }: { onClose: () => void }) {
  const t = useT();
  const { mode } = useMode();
  const [key, setKey] = useState('USDC_BASE');
  const [address, setAddress] = useState('');
  const [label, setLabel] = useState('');
  const { receive } = useAssets();
  const chosen = receive.find((entry) => entry.key === key) ?? receive[0];
  const problem = addressProblem(address, t);
  const check = useAddressCheck(chosen, address);
  const add = useAct(
    () =>
      create<PayoutWalletJson>('/v1/payout-wallets', {
        asset: chosen?.asset,
        network: chosen?.network,
        address: address.trim(),
        ...(label.trim() && { label: label.trim() }),
      }),
    ['wallets', 'onboarding', 'address-check'],
  );
  const { errorOf, otherError } = fieldProblems(add.error, {
    network: t('Asset and network'),
    asset: t('Asset and network'),
    address: t('Address'),
    label: t('Name (optional)'),
  });
  return (
    <FormDialog
      title={t('Add a payout wallet')}
      action={t('Save wallet')}
      error={otherError}
      busy={add.isPending}
      // A second entry of the same address and coin would only be taken for another wallet. The API lets a program add one.
      disabled={problem !== null || !check.data?.valid || check.data.warnings.includes('saved_already')}
      onSubmit={() => add.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <AssetField assets={receive} value={key} error={errorOf('network') || errorOf('asset')} onChange={setKey} />
      <AddressField
        network={chosen?.network}
        address={address}
        verdict={check.data}
        error={problem ?? errorOf('address')}
        onChange={setAddress}
      />
      <Problem error={check.error} retry={() => void check.refetch()} />
      <OtherFamily assets={receive} network={chosen?.network} address={address} onSwitch={setKey} />
      <TextField
        label={t('Name (optional)')}
        maxLength={100}
        value={label}
        error={errorOf('label')}
        onChange={(event) => setLabel(event.target.value)}
        placeholder={t('Treasury')}
      />
      {mode === 'live' && (
        <Notice tone="warn">
          {t(
            'Compare the first and last characters with your wallet. Funds sent to a wrong address can’t be recovered.',
          )}
        </Notice>
      )}
    </FormDialog>
  );
}

function AssetField({
  assets,
  value,
  error,
  onChange,
}: {
  assets: readonly AssetJson[];
  value: string;
  error: ReactNode;
  onChange: (key: string) => void;
}) {
  const t = useT();
  return (
    <SelectField
      label={t('Asset and network')}
      value={value}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    >
      {recommendedFirst(assets).map((entry) => (
        <option key={entry.key} value={entry.key}>
          {nameOf(entry)}
          {entry.key === RECOMMENDED && ` (${t('recommended: a dollar coin with low network fees')})`}
        </option>
      ))}
    </SelectField>
  );
}

const RECOMMENDED = 'USDC_BASE';

function recommendedFirst(assets: readonly AssetJson[]): AssetJson[] {
  return assets.toSorted((a, b) => Number(b.key === RECOMMENDED) - Number(a.key === RECOMMENDED));
}

function nameOf({ asset, network }: AssetJson): string {
  return `${asset} · ${networkName(network)}`;
}

/** An address of the other family is rarely a typo: usually the network was not chosen. */
function OtherFamily({
  assets,
  network,
  address,
  onSwitch,
}: {
  assets: readonly AssetJson[];
  network: string | undefined;
  address: string;
  onSwitch: (key: string) => void;
}) {
  const t = useT();
  const text = address.trim();
  // A Tron address has the same letters, and always begins with a T.
  const isSolana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && !/^T.{33}$/.test(text);
  const wanted =
    network !== 'solana' && isSolana
      ? 'USDC_SOLANA'
      : network === 'solana' && /^0x[0-9a-fA-F]{40}$/.test(text)
        ? RECOMMENDED
        : undefined;
  const asset = assets.find(({ key }) => key === wanted);
  if (!asset) return null;
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm" role="status">
      {isSolana ? t('This is a Solana address.') : t('This is an Ethereum-family address.')}
      <Button onClick={() => onSwitch(asset.key)}>{t('Switch to {asset}', { asset: nameOf(asset) })}</Button>
    </div>
  );
}

/** The service's verdict on the address, once the typing has paused. */
function useAddressCheck(chosen: { network: string; asset: string } | undefined, address: string) {
  const t = useT();
  const settled = useDebounced(address.trim());
  return useRead<AddressCheckJson>(
    'address-check',
    '/dashboard/api/address-check',
    { network: chosen?.network, asset: chosen?.asset, address: settled },
    { enabled: settled.length > 8 && addressProblem(settled, t) === null },
  );
}

function AddressField({
  network,
  address,
  verdict,
  error,
  onChange,
}: {
  network: string | undefined;
  address: string;
  verdict: AddressCheckJson | undefined;
  error: ReactNode;
  onChange: (address: string) => void;
}) {
  const t = useT();
  return (
    <>
      <TextField
        label={t('Address')}
        required
        value={address}
        spellCheck={false}
        autoComplete="off"
        error={
          verdict && !verdict.valid && verdict.why ? (
            <ServiceMessage code="invalid_payout_wallet">{verdict.why}</ServiceMessage>
          ) : (
            error
          )
        }
        onChange={(event) => onChange(event.target.value)}
        className="block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm"
        placeholder={PLACEHOLDERS[familyOf(network ?? '')] ?? '0x…'}
        hint={t('Use a wallet you control. Exchange deposit addresses can delay or reject incoming payments.')}
      />
      {verdict?.address && (
        <div className="grid gap-2" role="status">
          <p className="rounded-lg bg-good-tint px-4 py-3 font-mono text-sm text-good [overflow-wrap:anywhere]">
            <strong>{verdict.address.slice(0, ENDS + 2)}</strong>
            {verdict.address.slice(ENDS + 2, -ENDS)}
            <strong>{verdict.address.slice(-ENDS)}</strong>
          </p>
          <AddressWarnings warnings={verdict.warnings} />
        </div>
      )}
    </>
  );
}
