import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { QuittancePaymentProvider } from './provider.ts';

export { type QuittanceOptions, QuittancePaymentProvider } from './provider.ts';

export default ModuleProvider(Modules.PAYMENT, { services: [QuittancePaymentProvider] });
