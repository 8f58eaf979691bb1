import { describeEarlyDates, describeHealing, describeLies } from '../support/lies/shop.ts';
import { SOLANA } from '../support/lies/solana.ts';

describeLies(SOLANA);
describeEarlyDates(SOLANA);
describeHealing(SOLANA, {
  honest: 2,
  hinted: ['amount', 'time', 'left out', 'recipient of SOL', 'reference of SOL'],
  reconciled: ['asset', 'to', 'reference', 'amount of SOL', 'time of SOL', 'SOL left out'],
});
