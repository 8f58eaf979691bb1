export { type Inject, type InjectInput, startApp, type TestAnswer, type TestApp, type TestAppOptions } from './app.ts';
export { createTestDatabase, type TestDatabase } from './database.ts';
export { ApiCallError, type CallOptions, type Merchant, type NewMerchantOptions } from './merchant.ts';
