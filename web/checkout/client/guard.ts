import { qrPath } from '../../ui/qr-path.ts';
import { codeTexts } from '../code-texts.ts';
import { coinAmount, exchangeAmount } from '../money.ts';
import type { LivePage } from './live-page.ts';

/**
 * Compares the page with the service's data. If a script or an extension replaces the address, the amount, the reference
 * or the QR code, the page stops showing payment details.
 */
export function guardDetails(page: LivePage): void {
  // Every second changes the page, and a code takes milliseconds to draw.
  let drawn: { texts: string; paths: string[] } | undefined;
  const look = () => {
    const payment = page.shown().session.payment;
    const address = page.root.querySelector('[data-address]');
    const signed = page.root.querySelector('[data-signed-address]');
    if (!payment || page.shown().tampered) return;
    if (signed && signed.textContent !== payment.address) return refuse();
    if (!address) return;
    const { locale } = page.shown();
    const amounts = [payment.amount, payment.amount_due]
      .flatMap((amount) => (payment.kind === 'routed' ? [amount, exchangeAmount(amount)] : [amount]))
      .map((amount) => coinAmount(amount, locale));
    const isAddress = address.textContent === payment.address;
    const isAmount = amounts.includes(page.root.querySelector('[data-amount]')?.textContent ?? '');
    const reference = page.root.querySelector('.copyable-reference bdi')?.textContent;
    const codes = [...page.root.querySelectorAll('.code .qr')].map((code) =>
      code.querySelector('path')?.getAttribute('d'),
    );
    const texts = codeTexts(page.shown());
    if (drawn?.texts !== texts.join(' '))
      drawn = { texts: texts.join(' '), paths: texts.map((text) => qrPath(text).path) };
    const link = page.root.querySelector('[data-uri]')?.getAttribute('href') ?? payment.uri;
    if (
      !isAddress ||
      !isAmount ||
      (reference !== undefined && reference !== payment.reference) ||
      link !== payment.uri ||
      codes.length === 0 ||
      !codes.every((code) => code && drawn?.paths.includes(code))
    )
      refuse();
  };
  const refuse = () => {
    observer.disconnect();
    page.show({ tampered: true });
  };
  const observer = new MutationObserver(look);
  observer.observe(page.root, { subtree: true, childList: true, characterData: true, attributes: true });
}
