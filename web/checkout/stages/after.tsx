import { type PageProps, stageOf } from '../page-state.ts';
import { EndStage } from './end.tsx';
import { ProgressStage } from './progress.tsx';

/** What follows once nothing is to be sent any more: the progress of the money, and the end. */
export function AfterStage(props: PageProps) {
  const stage = stageOf(props.page);
  const isOnItsWay = stage === 'confirming' || stage === 'converting' || stage === 'delivering';
  return isOnItsWay ? <ProgressStage {...props} /> : <EndStage {...props} />;
}
