import { expect, test } from 'vitest';
import { openBrowser, visit } from './support/browser.ts';
import { addEthereumWallet } from './support/ethereum-wallet.ts';
import { openEthereumShop } from './support/shop.ts';

test('a customer who finds all exact amounts in use pays by a connected wallet', async () => {
  await using shop = await openEthereumShop({ RESERVED_AMOUNTS_PER_UNPROVED_ACCOUNT: '1' });
  await using browser = await openBrowser();
  const body = { pay_asset: 'USDC', pay_network: 'ethereum' };
  const accepted = { accepted_assets: ['USDC_ETHEREUM', 'BTC_BITCOIN'] };
  await shop.service.call('POST', `/v1/public/checkout/sessions/${(await shop.session(accepted)).id}/pay`, body);
  const { checkout_url: url, id } = await shop.session(accepted);

  await using window = await visit(browser, shop.url);
  const { page } = window;
  const wallet = await addEthereumWallet(window.context, { chain: shop.chain });
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('alert').filter({ hasText: 'Too many checkouts of this price are open right now.' }).waitFor();
  wallet.answerTo('eth_requestAccounts', 'decline');
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('alert').filter({ hasText: 'You rejected the request in your wallet.' }).waitFor();
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();

  await page.getByRole('heading', { name: 'Send 49 USDC' }).waitFor();
  await page.getByText('A transfer by hand would not be recognized.').waitFor();
  expect(await page.locator('[data-amount], .code').count()).toBe(0);
  await page.getByRole('button', { name: 'Pay with Fern Wallet' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(wallet.asked.map(({ method }) => method)).toContain('eth_sendTransaction');
  expect((await shop.look(id)).payment.amount_received).toBe('49.000000');
});
