import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { type EthereumShop, openEthereumShop } from './support/shop.ts';
import { beforeStories } from './support/stories.ts';

let shop: EthereumShop;
let browser: Browser;
beforeStories(openEthereumShop, (...opened) => void ([shop, browser] = opened));

test('a customer who says so first is led through the withdrawal, without any wallet in the way', async () => {
  const { checkout_url: url } = await shop.session();
  for (const javaScriptEnabled of [true, false]) {
    await using window = await visit(browser, shop.url, { javaScriptEnabled, phone: !javaScriptEnabled });
    const { page } = window;
    await addEthereumWallet(window.context, { chain: shop.chain });
    await page.goto(`${url}?view=choose`);
    await page.getByLabel('I’m paying from an exchange').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    const guide = page.getByRole('region', { name: 'I’m paying from an exchange' });
    await guide.getByText('Choose the Ethereum network (also listed as ERC20, ETH).').waitFor();
    await guide.getByText('This address needs no memo or tag.').waitFor();
    expect(await page.getByRole('button', { name: 'Pay with Fern Wallet' }).count()).toBe(0);
    expect(await page.locator('.code > .qr').getAttribute('aria-label')).toContain('QR code of the address');
    const [steps, code] = [await guide.boundingBox(), await page.locator('.code > .qr').boundingBox()];
    // A phone cannot scan its own screen, so its code comes last.
    expect((steps?.y ?? 0) < (code?.y ?? 0)).toBe(!javaScriptEnabled);
    if (!javaScriptEnabled) continue;
    const amount = (await page.locator('[data-amount]').textContent()) ?? '';
    await guide.getByLabel('Your exchange’s withdrawal fee').fill('abc');
    await guide.getByText('Enter a number, such as 1.5.').waitFor();
    await guide.getByLabel('Your exchange’s withdrawal fee').fill('1,5');
    await guide.getByText(`Enter ${amount.replace('49', '50').replace('.0', '.5')} USDC at the exchange`).waitFor();
    await guide.getByRole('button', { name: 'Copy amount' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      amount.replace('49', '50').replace('.0', '.5'),
    );
    await page.reload();
    await guide.waitFor();
    expect(window.incidents).toEqual([]);
  }
});

test("an exchange's short transfer is found by its hash, assigned by the merchant, and completed by the exact remainder", async () => {
  const { checkout_url: url, id } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByText('Paying from an exchange?').click();
  await page.getByText('Many exchanges deduct their withdrawal fee').waitFor();

  // The exchange kept its fee: an amount that matches no payment, without a tag.
  const hash = await shop.send('47.5');
  await shop.chain.included(hash);
  await page.getByRole('link', { name: 'Already sent?' }).click();
  await page.getByLabel('Transaction hash').fill(hash);
  await page.getByRole('button', { name: 'Find payment' }).click();
  const arrived = page.getByText('Your transfer of 47.5 USDC arrived, but can’t be matched to this order');
  await arrived.waitFor();
  await page.reload();
  await arrived.waitFor();

  const transfer = await unattributed(hash);
  const { payment } = await shop.call('GET', `/v1/checkout/sessions/${id}`);
  expect(transfer.named_by).toMatchObject([{ payment }]);
  await shop.service.call('POST', `/v1/transfers/${transfer.id}/assign`, { payment }, shop.login);

  await page.getByRole('heading', { name: 'Partial payment received' }).waitFor();
  expect(await page.getByText(/47\.50+ of 49\.00/).count()).toBe(1);
  await page.getByRole('button', { name: 'Copy amount' }).click();
  const rest = await page.evaluate(() => navigator.clipboard.readText());
  expect(Number(rest)).toBeCloseTo(1.5, 1);
  await shop.send(rest);
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect((await shop.waitForEvent('payment.paid')).data.session).toBe(id);
  expect(window.incidents).toEqual([]);
});

/** The transfer once it is in the merchant's list of unattributed transfers. */
async function unattributed(hash: string): Promise<{ id: string; named_by: object[] }> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { data } = await shop.service
      .call<{ data: { id: string; tx_hash: string; named_by: object[] }[] }>(
        'GET',
        '/v1/transfers?unattributed=true',
        undefined,
        shop.login,
      )
      .then((answer) => (Array.isArray(answer) ? { data: answer } : answer));
    const found = data.find((transfer) => transfer.tx_hash === hash);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${hash} is not among the unattributed transfers`);
}
