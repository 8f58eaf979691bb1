import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';

const getOpenApi = endpoint({
  operationId: 'getOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  tag: 'Documentation',
  summary: 'Retrieve the OpenAPI document',
  description: 'The API described in OpenAPI 3.1.',
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

export const documentationEndpoints = { getOpenApi };
