import { NATIVE } from '../support/lies/evm.ts';
import { describeEarlyDates, describeHealing, describeLies } from '../support/lies/shop.ts';

describeLies(NATIVE);
describeEarlyDates(NATIVE);
describeHealing(NATIVE, {
  honest: 2,
  hinted: ['amount', 'time', 'left out', 'amount inside a contract', 'tag that a trace proves'],
  reconciled: ['to', 'tag', 'time inside a contract', 'left out of a contract'],
});
