import { startOfTurns, type TurnPosition } from './turn.ts';

/** Where the last turns of a network's verification ended. */
export interface Rounds {
  agreed: TurnPosition;
  /** Of transfers about which providers disagree. */
  contradicted: TurnPosition;
  /** Of reports that the quorum decides. */
  reports: TurnPosition;
  rechecks: Rechecks;
  /** The last block asked about whose unattributed transfers may become final; -1 where a round begins. */
  blocks: { after: bigint };
}

/** Where the last turn of rechecks ended, and when there was last nothing to check. */
export interface Rechecks {
  position: TurnPosition;
  noneMarkedAt: Date | null;
  disappearedCheckedAt: Date | null;
}

export function startOfRounds(): Rounds {
  return {
    agreed: startOfTurns(),
    contradicted: startOfTurns(),
    reports: startOfTurns(),
    rechecks: { position: startOfTurns(), noneMarkedAt: null, disappearedCheckedAt: null },
    blocks: { after: -1n },
  };
}
