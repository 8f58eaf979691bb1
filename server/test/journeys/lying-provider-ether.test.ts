import { NATIVE } from '../support/lies/evm.ts';
import { describeLies } from '../support/lies/shop.ts';

describeLies(NATIVE);
