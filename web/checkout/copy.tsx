import { useEffect, useState } from 'preact/hooks';

/**
 * A value with a copy button. Without a script the value can still be selected. Translators leave it alone: a translated
 * value would be taken for an attack on the page, and would stay when the value changes.
 */
export function Copyable(props: {
  label: string;
  value: string;
  action: string;
  button: string;
  copied: string;
  copies: 'amount' | 'address' | 'reference';
  children?: preact.ComponentChildren;
}) {
  return (
    <div class={`copyable copyable-${props.copies}`}>
      <span class="copyable-label">{props.label}</span>
      <bdi class="copyable-value notranslate" dir="ltr">
        {props.children ?? props.value}
      </bdi>
      <CopyButton {...props} />
    </div>
  );
}

/** A value to compare, which a customer must not take with them. */
export function NotCopyable({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    <div class="copyable">
      <span class="copyable-label">{label}</span>
      <bdi class="copyable-value not-copyable notranslate" dir="ltr">
        {children}
      </bdi>
    </div>
  );
}

/** Copies the value of the page's data, never the text in the document. */
export function CopyButton({
  value,
  action,
  button,
  copied,
}: {
  value: string;
  action: string;
  button: string;
  copied: string;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      setCopied(copyByCommand(value, currentTarget));
    }
  };
  return (
    <>
      <button
        type="button"
        class="copy with-script"
        aria-label={action}
        onClick={copy}
        data-copied={isCopied || undefined}
      >
        <svg
          viewBox="0 0 16 16"
          width="16"
          height="16"
          aria-hidden="true"
          fill="none"
          stroke="currentColor"
          stroke-width="1.6"
          stroke-linecap="round"
          stroke-linejoin="round"
        >
          {isCopied ? (
            <path d="m3 8.5 3.2 3.2L13 5" />
          ) : (
            <>
              <rect x="5.5" y="5.5" width="8" height="8" rx="1.8" />
              <path d="M10.5 3.3A1.8 1.8 0 0 0 8.7 2.5H4.3A1.8 1.8 0 0 0 2.5 4.3v4.4a1.8 1.8 0 0 0 .8 1.5" />
            </>
          )}
        </svg>
        {isCopied ? copied : button}
      </button>
      <span class="visually-hidden" role="status">
        {isCopied ? copied : ''}
      </span>
    </>
  );
}

/**
 * The older way, which is left in frames that may not write to the clipboard, and without HTTPS. If that is refused too, the
 * value is selected, so that the customer sees what to copy by hand.
 */
function copyByCommand(value: string, button: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = value;
  button.after(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  button.focus();
  if (!isCopied && button.previousElementSibling) getSelection()?.selectAllChildren(button.previousElementSibling);
  return isCopied;
}

/**
 * An address in groups of four, its ends emphasized, so that a swapped one is noticed. Whole in the document. `isSigned` marks the
 * one that a wallet is asked to sign, which stands beside the one to copy.
 */
export function Address({ address, isSigned = false }: { address: string; isSigned?: boolean }) {
  const groups = address.match(/.{1,4}/g) ?? [];
  return (
    <span
      class="address grouped notranslate"
      dir="ltr"
      {...(isSigned ? { 'data-signed-address': '' } : { 'data-address': '' })}
    >
      {groups.map((group, at) => (
        <span key={at} class={at < 2 || at >= groups.length - 2 ? 'address-end' : undefined}>
          {group}
        </span>
      ))}
    </span>
  );
}
