import { TEMPO, TRON } from '../support/lies/networks.ts';
import { describeLies } from '../support/lies/shop.ts';

describeLies(TRON, [
  [2, 'second'],
  [3, 'first'],
]);
describeLies(TEMPO, [
  [2, 'first'],
  [3, 'first'],
]);
