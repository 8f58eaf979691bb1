import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';

export const getOpenApi = endpoint({
  operationId: 'getOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  tag: 'Documentation',
  summary: 'Read this document',
  description: 'The OpenAPI 3.1 description of the API.',
  auth: 'none',
  success: {
    status: 200,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'An OpenAPI 3.1 document.',
      additionalProperties: true,
    }),
    envelope: 'bare',
    description: 'The document.',
  },
  invalid: 'invalid_request',
});
