import { NATIVE } from '../support/lies/evm.ts';
import { describeEarlyDates, describeHealing, describeLies } from '../support/lies/shop.ts';

describeLies(NATIVE);
describeEarlyDates(NATIVE);
describeHealing(NATIVE, {
  honest: 2,
  hinted: ['amount', 'time to an earlier one', 'left out', 'amount inside a contract', 'tag that a trace proves'],
  reconciled: ['to', 'tag', 'time inside a contract to an earlier one', 'left out of a contract'],
  late: ['time to a later one', 'time inside a contract to a later one'],
});
