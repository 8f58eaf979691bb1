// A Vendure shop with one product for 49.00 USD. The program copies it to where Vendure is installed, and starts it.
import {
  bootstrap,
  ConfigService,
  DefaultLogger,
  dummyPaymentHandler,
  Importer,
  Injector,
  LanguageCode,
  LogLevel,
  OrderService,
  Populator,
  RequestContextService,
} from '@vendure/core';
import { ModuleRef } from '@nestjs/core';
import { quittance } from './quittance.mjs';

const { DATABASE_URL, PORT, POPULATE } = process.env;

const app = await bootstrap({
  logger: new DefaultLogger({ level: LogLevel.Warn }),
  apiOptions: { hostname: '127.0.0.1', port: Number(PORT), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: { tokenMethod: 'bearer', superadminCredentials: { identifier: 'admin', password: 'admin' } },
  dbConnectionOptions: { type: 'postgres', url: DATABASE_URL, synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  customFields: {},
  plugins: [quittance],
});

if (POPULATE) {
  await app.get(Populator).populateInitialData({
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Europe',
    countries: [{ code: 'GB', name: 'United Kingdom', zone: 'Europe' }],
    taxRates: [{ name: 'Standard', percentage: 0 }],
    shippingMethods: [{ name: 'Post', price: 0 }],
    paymentMethods: [
      { name: 'Quittance', handler: { code: 'quittance', arguments: [] } },
      {
        name: 'Cash',
        handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'true' }] },
      },
    ],
    collections: [],
  });
  const product = { name: 'Fern', slug: 'fern', description: 'A fern', assets: '', facets: '', optionGroups: '' };
  const variant = { optionValues: '', sku: 'FERN', price: '49.00', taxCategory: 'Standard', stockOnHand: '100000' };
  const row = { ...product, ...variant, trackInventory: 'false', variantAssets: '', variantFacets: '' };
  const products = `${Object.keys(row)}\n${Object.values(row)}`;
  const ctx = await app.get(RequestContextService).create({ apiType: 'admin', languageCode: LanguageCode.en });
  await new Promise((resolve, reject) => {
    app.get(Importer).parseAndImport(products, ctx).subscribe({ error: reject, complete: resolve });
  });
}

process.on('message', async ({ deleted }) => {
  if (deleted !== undefined) {
    // As a login does that merges two carts.
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    return process.send(
      await app
        .get(OrderService)
        .deleteOrder(ctx, deleted)
        .then(() => 'deleted'),
    );
  }
  // What the shop's scheduler does every five minutes.
  const task = app.get(ConfigService).schedulerOptions.tasks.find(({ id }) => id === 'quittance-ask');
  process.send(await task.execute(new Injector(app.get(ModuleRef))));
});
process.send('ready');
