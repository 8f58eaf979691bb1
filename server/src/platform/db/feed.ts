import { createAlarm } from '../alarm.ts';
import type { Database } from './db.ts';

/** What all members of a feed wait for. */
export interface FeedRules<Member> {
  db: Pick<Database, 'listen'>;
  /** The channel whose signals may be about the feed. */
  channel: string;
  concerns(payload: string): boolean;
  /** Signals may be lost, so a feed also polls. */
  everyMs: number;
  /** One query for all members. Returns `more` to look again at once. */
  look(members: ReadonlySet<Member>): Promise<'more' | 'idle'>;
  /** After an error nothing more is looked up. */
  failed(error: unknown, members: ReadonlySet<Member>): void;
  /** Ends those who still wait when the feed ends. */
  end(member: Member): void;
}

/** The feeds of a process: all who wait for the same thing share each query. */
export interface Feeds {
  /** Joins the feed of this name, which looks at once. `open` makes it for its first member. */
  join<Member>(name: string, member: Member, open: () => FeedRules<Member>): { leave(): void };
  /** How many wait in the feed. */
  count(name: string): number;
}

interface Feed<Member> {
  members: Set<Member>;
  ring(): void;
}

export function createFeeds(): Feeds {
  // Feeds of one name have one kind of members.
  const feeds = new Map<string, Feed<unknown>>();
  return {
    join<Member>(name: string, member: Member, open: () => FeedRules<Member>) {
      let feed = feeds.get(name) as Feed<Member> | undefined;
      if (!feed) {
        feed = start(open(), () => feeds.delete(name));
        feeds.set(name, feed as Feed<unknown>);
      }
      const { members, ring } = feed;
      members.add(member);
      ring();
      return {
        leave() {
          members.delete(member);
          if (members.size === 0) ring();
        },
      };
    },
    count: (name) => feeds.get(name)?.members.size ?? 0,
  };
}

function start<Member>(rules: FeedRules<Member>, close: () => void): Feed<Member> {
  const members = new Set<Member>();
  const alarm = createAlarm(new AbortController().signal);
  void follow(rules, { members, alarm, close });
  return { members, ring: alarm.ring };
}

/** Looks until the last member has left. */
async function follow<Member>(
  { db, channel, concerns, everyMs, look, failed, end }: FeedRules<Member>,
  { members, alarm, close }: { members: Set<Member>; alarm: ReturnType<typeof createAlarm>; close(): void },
): Promise<void> {
  const stopListening = await db
    .listen(channel, (payload) => {
      if (concerns(payload)) alarm.ring();
    })
    .catch(() => undefined);
  try {
    while (members.size > 0) {
      alarm.reset();
      if ((await look(members)) === 'idle' && members.size > 0) await alarm.wait(everyMs);
    }
  } catch (error) {
    failed(error, members);
  } finally {
    // Before the first await, because a later member opens a feed of its own.
    close();
    for (const member of members) end(member);
    await stopListening?.().catch(() => {});
  }
}
