export * from './assets.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './statuses.ts';
