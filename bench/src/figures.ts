/** One path of the service and its minimum cost, both per second and measured in the same run. */
export interface Figure {
  ours: number;
  floor: number;
  ratio: number;
}

export function figure(ours: number, floor: number): Figure {
  return { ours: round(ours), floor: round(floor), ratio: Math.round((ours / floor) * 100) / 100 };
}

function round(rate: number): number {
  return Math.round(rate * 10) / 10;
}
