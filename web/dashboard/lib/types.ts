export type * from '@quittance/contract';
export type * from '@quittance/contract/dashboard';
