/**
 * How much of a common budget one client may hold: the fuller the budget is, the less. So many clients together leave some
 * for others, and a new client gets at least one until nothing is left.
 */
export function clientShare(perClient: number, used: number, limit: number): number {
  return Math.ceil((perClient * Math.max(0, limit - used)) / limit);
}
