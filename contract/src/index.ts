export * from './assets.ts';
export * from './settled-net.ts';
export * from './endpoint.ts';
export * from './endpoints/index.ts';
export * from './errors.ts';
export * from './scopes.ts';
export * from './shapes/index.ts';
export * from './statuses.ts';
