import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endWithBench } from './ends.ts';

// The floor of a response: the same bytes and headers from node:http without any other work.
const { body, headers } = JSON.parse(process.env.ANSWER ?? '{}') as { body: string; headers: Record<string, string> };
const bytes = Buffer.from(body);

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(bytes);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
endWithBench();
