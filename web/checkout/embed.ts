// While the script runs: later it is not known any more where it came from.
const { src } = (document.currentScript ?? {}) as Partial<HTMLScriptElement>;
const ORIGIN = src ? new URL(src).origin : null;

const READY_WITHIN_MS = 3_000;

interface Message {
  type: 'ready' | 'status' | 'close';
  session: string;
  status: string;
}

/**
 * Opens a checkout page over the merchant's own. Only pages of the service that the script came from: any other one in
 * a frame that looks like the merchant's could ask customers for anything. `<script src="…/embed.js">`, then
 * `Quittance.open(checkoutUrl, onMessage)`, or a link with `data-quittance`. The merchant's origin must be among the
 * account's frame parents.
 */
function open(checkoutUrl: string, onMessage?: (message: Message) => void): () => void {
  const { origin } = new URL(checkoutUrl, location.href);
  if (origin !== ORIGIN) throw new TypeError(`Quittance.open: ${checkoutUrl} is not a page of ${ORIGIN}.`);
  const dialog = document.createElement('dialog');
  const frame = document.createElement('iframe');
  const button = document.createElement('button');
  // Set one by one, because a strict content policy of the parent page forbids style attributes.
  Object.assign(dialog.style, {
    border: '0',
    padding: '0',
    width: 'min(100%, 64rem)',
    height: 'min(100%, 54rem)',
    maxWidth: '100%',
    maxHeight: '100%',
    background: 'transparent',
    overflow: 'hidden',
  });
  Object.assign(frame.style, {
    border: '0',
    width: '100%',
    height: '100%',
    borderRadius: '16px',
    colorScheme: 'light dark',
  });
  Object.assign(button.style, {
    position: 'absolute',
    insetBlockStart: '8px',
    insetInlineEnd: '8px',
    width: '44px',
    height: '44px',
    border: '0',
    borderRadius: '22px',
    font: '24px/1 sans-serif',
    cursor: 'pointer',
  });
  frame.src = checkoutUrl;
  frame.title = 'Checkout';
  frame.allow = 'clipboard-write';
  button.textContent = '×';
  button.setAttribute('aria-label', 'Close');

  let lastMessage: Message | undefined;
  const receive = (event: MessageEvent) => {
    if (event.origin !== origin || event.source !== frame.contentWindow || event.data?.source !== 'quittance') return;
    lastMessage = event.data as Message;
    if (lastMessage.type === 'close') close();
    else onMessage?.(lastMessage);
  };
  const close = () => dialog.close();
  dialog.onclose = () => {
    removeEventListener('message', receive);
    dialog.remove();
    onMessage?.({ session: '', status: '', ...lastMessage, type: 'close' });
  };
  // A page that may be framed says so as soon as it is loaded; the browser shows nothing useful of another.
  frame.onload = () =>
    setTimeout(() => {
      if (!lastMessage && dialog.open) openAsPage(checkoutUrl);
    }, READY_WITHIN_MS);
  button.onclick = close;
  addEventListener('message', receive);
  dialog.append(frame, button);
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

function openAsPage(checkoutUrl: string): void {
  console.error(
    `Quittance: ${location.origin} may not embed this checkout, so it opens as a page of its own. ` +
      'Add it to "Allowed embed origins" in the settings of the dashboard (`frame_parents`).',
  );
  location.assign(checkoutUrl);
}

document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-quittance]');
  if (!link || link.origin !== ORIGIN || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(link.href);
});

Object.assign(window, { Quittance: { open } });
