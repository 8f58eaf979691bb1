import type { Log } from './shapes.ts';

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Whether a log is an ERC-20 transfer: three topics (an NFT's has four) and one word of data. */
export function isTransfer(log: Pick<Log, 'topics' | 'data'>): boolean {
  return log.topics[0] === TRANSFER_TOPIC && log.topics.length === 3 && log.data.length === 66;
}
