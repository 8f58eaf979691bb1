export { type QuittanceOptions, QuittancePlugin } from './plugin.ts';
export { quittanceHandler } from './handler.ts';
export { QuittanceSession } from './session.ts';
