import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { answerMcp, type CallApi, mcpParseError, type McpSession } from '@quittance/contract/mcp';
import manifest from '../../package.json' with { type: 'json' };
import type { Command } from '../command.ts';
import { client, secretKey, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { print, say, type Terminal } from '../terminal.ts';

const MAX_LINE_LENGTH = 1_000_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** An MCP server on stdin and stdout: one JSON-RPC message per line. */
export const mcp: Command = {
  name: 'mcp',
  usage:
    'quittance mcp [--live]\n\n' +
    'Give it a key with the scopes that the program needs (QUITTANCE_KEY). A key without scopes is read-only ' +
    'here.',
  summary: 'Serve payments to a program that speaks MCP, over stdin and stdout.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: SHARED_OPTIONS });
    const [key, url] = [await secretKey(terminal, values), await serviceUrl(terminal, values)];
    const { scopes, livemode } = await (await client(terminal, values)).apiKeys.current();
    const session: McpSession = {
      scopes: scopes ?? null,
      api: callerOf(url, key),
      version: manifest.version,
      boundary: () => randomBytes(12).toString('hex'),
    };
    say(terminal, `Serving MCP for ${url} in ${livemode ? 'live' : 'test'} mode, ${scopes?.join(' ') ?? 'read-only'}.`);
    // Concurrent calls are answered independently, each as soon as possible.
    const answers = new Set<Promise<void>>();
    for await (const line of linesOf(terminal)) {
      const answer = answerLine(line, session, terminal).finally(() => answers.delete(answer));
      answers.add(answer);
    }
    await Promise.all(answers);
    return undefined;
  },
};

async function answerLine(line: string | undefined, session: McpSession, terminal: Terminal): Promise<void> {
  let message: unknown;
  try {
    message = JSON.parse(line ?? '');
  } catch {
    return print(terminal, JSON.stringify(mcpParseError()));
  }
  try {
    const answer = await answerMcp(message, session);
    if (answer) print(terminal, JSON.stringify(answer));
  } catch (error) {
    const { id = null } = message as { id?: unknown };
    say(terminal, `The call failed: ${(error as Error).message}`);
    const failed = { jsonrpc: '2.0', id, error: { code: -32603, message: 'The service could not be reached.' } };
    print(terminal, JSON.stringify(failed));
  }
}

function callerOf(url: string, key: string): CallApi {
  return async ({ method, path, query = {}, body, idempotencyKey }) => {
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    );
    const answer = await fetch(`${url}${path}${parameters.size > 0 ? `?${parameters}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };
}

/** Undefined means a line that is too long; the rest of it is skipped. */
async function* linesOf({ stdin }: Terminal): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let isSkipping = false;
  for await (const chunk of stdin) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (isSkipping) isSkipping = false;
      else if (line.length > MAX_LINE_LENGTH) yield undefined;
      else if (line.trim()) yield line;
    }
    if (rest.length > MAX_LINE_LENGTH) {
      if (!isSkipping) yield undefined;
      isSkipping = true;
      rest = '';
    }
  }
  if (rest.trim() && !isSkipping) yield rest;
}
