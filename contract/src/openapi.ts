import { endpoints } from './endpoints/index.ts';
import type { AnyEndpoint, OpenApiDocument } from './openapi/document.ts';
import { ERROR_HEADERS, HEADERS, PARAMETERS } from './openapi/headers.ts';
import { operationOf } from './openapi/operation.ts';
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
      summary: 'Accept crypto payments directly into your own wallet.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: `${options.publicUrl ?? ''}${VERSION_PATH}`,
        description: 'Live and test mode. The credential selects the mode.',
      },
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
    description: 'A secret key, for servers only. Its prefix names its mode.',
  },
  loginToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ses_…',
    description: 'A login token. The `Service-Mode` header selects the mode; the default is live.',
  },
};

// Wrapped here; each paragraph is one line of the document.
const DESCRIPTION = `A REST API for accepting crypto payments without custody: customers pay from their own wallets,
and funds settle to a payout wallet that you saved.

**Responses.** One object: \`{data, request_id}\`. A list: \`{data, pagination, request_id}\`. An error: \`{error:
{code, message, param}, request_id}\`.

**Modes.** Keys that begin with \`sk_test_\` work in test mode, where a sandbox simulates the networks. Objects of
one mode are not visible in the other.

**Money** is a decimal string, never a number. Display amounts have two decimals. Asset amounts have all decimals of
the asset.

**Idempotency.** Send an \`Idempotency-Key\` with a POST that supports it, and retries are safe: the first response
is stored for 24 hours and replayed byte for byte, with \`Idempotent-Replayed: true\`. Reusing a key with a
different request returns 409 \`idempotency_conflict\`.

**Limits.** 100 requests per second per account and mode. Every response has \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; a 429 also has \`Retry-After\`.

**Compatibility.** New fields and endpoints may be added at any time, so ignore unknown fields. Endpoints ignore
unknown fields in requests too. Breaking changes get a new version in the path.`.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
