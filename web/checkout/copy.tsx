/** A value to be copied, with its button. Without a script the value can still be selected. */
export function Copyable(props: { label: string; value: string; action: string; copied: string; copies: 'amount' | 'address' | 'reference'; children?: preact.ComponentChildren }) {
  return (
    <div class="copyable">
      <span class="copyable-label">{props.label}</span>
      <bdi class="copyable-value" dir="ltr">{props.children ?? props.value}</bdi>
      <button type="button" class="copy" data-copies={props.copies} data-copy={props.value} data-copied={props.copied}>{props.action}</button>
    </div>
  );
}

/** An address in groups of four, its ends emphasised, so that a swapped one is noticed. Whole in the document. */
export function Address({ address }: { address: string }) {
  const groups = address.match(/.{1,4}/g) ?? [];
  return (
    <span class="address" data-address>
      {groups.map((group, at) => (
        <span key={at} class={at < 2 || at >= groups.length - 2 ? 'address-end' : undefined}>{group}</span>
      ))}
    </span>
  );
}
