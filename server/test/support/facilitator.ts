import { serve } from './listen.ts';

type Data = any;

/** What a facilitator does with `/settle`, and how it answers. */
export type FacilitatorFault =
  | 'none'
  /** Sends the payment, and the connection is cut before the answer. */
  | 'lost_answer'
  /** Is killed once it has broadcast the payment, before a block has it, and starts again. */
  | 'killed'
  /** Reports that it has sent the payment, and sends nothing. */
  | 'false_success'
  /** Reports that it rejected the payment, and sends it. */
  | 'false_failure'
  /** Sends the payment twice. */
  | 'twice'
  /** Does nothing and answers 500. */
  | 'down';

export interface SettleAnswer {
  success: boolean;
  transaction: string;
  network: string;
  payer?: string;
  errorReason?: string;
}

/** Sends a payment, and calls `onBroadcast` if it waits for more than the broadcast. */
export type SettlePayment = (payload: Data, requirements: Data, onBroadcast?: () => void) => Promise<SettleAnswer>;

export interface TestFacilitator extends AsyncDisposable {
  url: string;
  /** The faults of the next answers, and after those, of all others. */
  faults: FacilitatorFault[];
  usually: FacilitatorFault;
  /** Called for each `/settle` before it is processed. */
  onSettle?: () => Promise<void>;
  /** The bodies of all `/settle` requests, and the authorization headers. */
  asked: Data[];
  credentials: (string | undefined)[];
}

/** The HTTP side of a facilitator, which can lose, lie and repeat; `settle` sends the payment. */
export async function startFacilitator(kinds: readonly unknown[], settle: SettlePayment): Promise<TestFacilitator> {
  const faults: FacilitatorFault[] = [];
  const asked: Data[] = [];
  const credentials: (string | undefined)[] = [];

  const facilitator: TestFacilitator = {
    url: '',
    faults,
    usually: 'none',
    asked,
    credentials,
    [Symbol.asyncDispose]: () => server.stop(),
  };
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    credentials.push(request.headers.authorization);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/supported') return answer(200, { kinds, extensions: [], signers: {} });

    const body = JSON.parse(Buffer.concat(chunks).toString());
    asked.push(body);
    await facilitator.onSettle?.();
    const { paymentPayload, paymentRequirements } = body;
    const refused = {
      success: false,
      errorReason: 'unexpected_settle_error',
      transaction: '',
      network: paymentRequirements.network,
    };
    const send = () => settle(paymentPayload, paymentRequirements);
    try {
      switch (faults.shift() ?? facilitator.usually) {
        case 'none':
          return answer(200, await send());
        case 'lost_answer':
          await send();
          return request.socket.destroy();
        case 'killed':
          await new Promise<void>((resolve) => {
            settle(paymentPayload, paymentRequirements, resolve).then(
              () => resolve(),
              () => resolve(),
            );
          });
          return request.socket.destroy();
        case 'false_success':
          return answer(200, {
            success: true,
            transaction: `0x${'de'.repeat(32)}`,
            network: paymentRequirements.network,
          });
        case 'false_failure':
          await send();
          return answer(200, refused);
        case 'twice':
          await send();
          return answer(200, await send().catch(() => refused));
        case 'down':
          return answer(500, { error: 'down' });
      }
    } catch {
      answer(200, refused);
    }
  });
  facilitator.url = server.url;
  return facilitator;
}
