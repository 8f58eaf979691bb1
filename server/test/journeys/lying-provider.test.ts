import { TOKENS } from '../support/lies/evm.ts';
import { describeEarlyDates, describeHealing, describeLies } from '../support/lies/shop.ts';

describeLies(TOKENS);
describeEarlyDates(TOKENS);
describeHealing(TOKENS, {
  honest: 1,
  hinted: ['amount', 'time to an earlier one', 'tag', 'nonce', 'to'],
  reconciled: ['asset', 'asset to an unknown one', 'left out'],
  late: ['time to a later one'],
});
