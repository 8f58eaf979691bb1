import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { common, object } from './endpoint-shape.ts';

export interface LogoJson {
  /** A value of `logo_url`. It is deleted after a day unless the account uses it. */
  url: string;
}

export const uploadLogo = endpoint({
  ...common,
  operationId: 'dashboardUploadLogo',
  method: 'POST',
  path: '/dashboard/api/logo',
  body: Type.Object({
    /** In base64. */
    picture: Type.String({ minLength: 1, maxLength: 262_144 }),
  }),
  success: object<LogoJson>(),
});
