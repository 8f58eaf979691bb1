import { endpoints } from './endpoints/index.ts';
import type { AnyEndpoint, OpenApiDocument } from './openapi/document.ts';
import { ERROR_HEADERS, HEADERS } from './openapi/headers.ts';
import { operationOf } from './openapi/operation.ts';
import { PARAMETERS } from './openapi/parameters.ts';
import { SHARED_RESPONSES } from './openapi/responses.ts';
import { Components } from './openapi/schema.ts';
import { TAGS } from './openapi/tags.ts';
import { webhooksOf } from './openapi/webhooks.ts';
import { ErrorShape } from './shapes/common.ts';

export type * from './openapi/document.ts';

/**
 * The OpenAPI 3.1 document of the API, built from the declarations of its endpoints.
 *
 * @example
 * const document = openApiDocument({ publicUrl: 'https://pay.example.com' });
 * document.paths['/payments/{id}'].get.operationId; // 'getPayment'
 */
export function openApiDocument(options: { publicUrl?: string } = {}): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of Object.values(endpoints) as AnyEndpoint[]) {
    const path = documentPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) };
  }
  const webhooks = webhooksOf(components);
  components.use(ErrorShape);

  return {
    openapi: '3.1.0',
    info: {
      title: 'Quittance',
      version: '1.0.0-draft',
      summary: 'Take crypto payments straight into your own wallet.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: `${options.publicUrl ?? ''}${VERSION_PATH}`, description: 'Live and test mode; the credential decides.' },
    ],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: components.written(),
      headers: { ...HEADERS, ...ERROR_HEADERS },
      parameters: PARAMETERS,
      responses: SHARED_RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const VERSION_PATH = '/v1';

/** The document's paths are relative to its server, which ends with the version. */
export function documentPath(path: string): string {
  return path.startsWith(`${VERSION_PATH}/`) ? path.slice(VERSION_PATH.length) : path;
}

const SECURITY_SCHEMES = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_… or sk_test_…',
    description: 'A secret key, for servers only. It carries its mode in its name.',
  },
  loginToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ses_…',
    description: 'A login token. The mode is the header `Service-Mode`, live unless it says otherwise.',
  },
};

const DESCRIPTION = `A REST API that takes crypto payments without ever holding them: customers pay from their own wallets, and the money settles to a payout wallet you saved.

**Answers.** One object: \`{data, request_id}\`. A list: \`{data, pagination, request_id}\`. An error: \`{error: {code, message, param}, request_id}\`.

**Modes.** Keys beginning \`sk_test_\` live in a world of their own, in which a sandbox stands in for the chains. Nothing of one mode can be seen from the other.

**Money** is a decimal string, never a number. Display amounts have two decimals, amounts of an asset all that the asset has.

**Idempotency.** Send an \`Idempotency-Key\` of your own with a POST that lists it, and it is done once: the first answer is kept for 24 hours and repeated byte by byte, marked \`Idempotent-Replayed: true\`. The same key with another request is a 409 \`idempotency_conflict\`.

**Limits.** 100 requests a second per account and mode. Every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 carries \`Retry-After\` too.

**Compatibility.** New fields and new endpoints may appear at any time: ignore what you do not know. Fields that an endpoint does not know are ignored as well. What would break you comes under a new version in the path.`;
