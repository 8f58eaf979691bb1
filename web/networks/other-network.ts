import { familyOf, networkName } from './networks.ts';

const FORMS: readonly (readonly [network: string, form: RegExp])[] = [
  ['ethereum', /^0x[\da-f]{40}$/i],
  ['tron', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
  ['bitcoin', /^(bc1[\da-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/i],
  ['solana', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
];

/** Whether the text has the form of an address. */
export function isAddress(text: string): boolean {
  return FORMS.some(([, form]) => form.test(text.trim()));
}

/** The network that an address is of by its form, if another kind of network than the wanted one has it. */
export function otherNetwork(address: string, wanted: string): string | null {
  const [network] = FORMS.find(([, form]) => form.test(address.trim())) ?? [];
  return network !== undefined && familyOf(network) !== familyOf(wanted) ? networkName(network) : null;
}
