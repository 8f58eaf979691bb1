import { describeEarlyDates, describeHealing, describeLies } from '../support/lies/shop.ts';
import { SOLANA } from '../support/lies/solana.ts';

describeLies(SOLANA);
describeEarlyDates(SOLANA);
describeHealing(SOLANA, {
  honest: 2,
  hinted: ['amount', 'time to an earlier one', 'left out', 'recipient of SOL', 'reference of SOL'],
  reconciled: ['asset', 'to', 'reference', 'amount of SOL', 'time of SOL to an earlier one', 'SOL left out'],
  late: ['time to a later one', 'time of SOL to a later one'],
});
