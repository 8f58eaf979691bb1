/** How calls are joined: concurrent runs, and calls in one run. */
export interface JoinOptions {
  runs: number;
  maxCalls: number;
}

/**
 * Joins concurrent calls into one: `run` gets several inputs and returns as many outcomes, in their order. A lone call
 * starts at once. If an outcome is a promise, only its own caller waits for it. If `run` throws, all of its callers get
 * the error. Calls on different places (databases) are never joined.
 */
export function joined<Place extends object, In, Out>(
  run: (place: Place, inputs: In[]) => Promise<(Out | Promise<Out>)[]>,
  { runs, maxCalls }: JoinOptions,
): (place: Place, input: In) => Promise<Out> {
  const queues = new WeakMap<Place, Queue<In, Out>>();

  return (place, input) => {
    let queue = queues.get(place);
    if (!queue) queues.set(place, (queue = { waiting: [], running: 0, scheduled: false }));
    const mine = queue;
    return new Promise<Out>((resolve, reject) => {
      mine.waiting.push({ input, resolve, reject });
      schedule(place, mine);
    });
  };

  /** Starts at the end of this turn of the event loop, so that calls of the same turn are joined. */
  function schedule(place: Place, queue: Queue<In, Out>): void {
    if (queue.scheduled || queue.running >= runs || queue.waiting.length === 0) return;
    queue.scheduled = true;
    setImmediate(() => {
      queue.scheduled = false;
      void start(place, queue);
      schedule(place, queue);
    });
  }

  async function start(place: Place, queue: Queue<In, Out>): Promise<void> {
    const calls = queue.waiting.splice(0, maxCalls);
    queue.running += 1;
    try {
      const outcomes = await run(
        place,
        calls.map((call) => call.input),
      );
      calls.forEach((call, at) => call.resolve(outcomes[at] as Out | Promise<Out>));
    } catch (error) {
      for (const call of calls) call.reject(error);
    } finally {
      queue.running -= 1;
      schedule(place, queue);
    }
  }
}

interface Queue<In, Out> {
  waiting: { input: In; resolve: (outcome: Out | Promise<Out>) => void; reject: (error: unknown) => void }[];
  running: number;
  scheduled: boolean;
}
