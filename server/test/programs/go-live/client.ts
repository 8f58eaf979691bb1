import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

interface Answer {
  status: number;
  body: string;
  data: any;
}

/** Calls a service of this machine by its name, over TLS that is checked against one certificate authority. */
export function createClient(name: string, authority: () => Buffer) {
  async function call(method: string, path: string, body?: object, token?: string): Promise<Answer> {
    const sent = request({
      host: '127.0.0.1',
      servername: name,
      ca: authority(),
      agent: false,
      method,
      path,
      headers: {
        host: name,
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    });
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    const isJson = response.headers['content-type']?.startsWith('application/json');
    return { status: response.statusCode ?? 0, body: answer, data: isJson ? JSON.parse(answer).data : undefined };
  }
  return {
    get: (path: string) => call('GET', path),
    /** Its data. Any other answer than a success is an error. */
    async post(path: string, body: object, token?: string): Promise<any> {
      const answer = await call('POST', path, body, token);
      assert(answer.status < 300, `${path}: ${answer.status} ${answer.body}`);
      return answer.data;
    },
  };
}
