import { describeLies } from '../support/lies/shop.ts';
import { SOLANA } from '../support/lies/solana.ts';

describeLies(SOLANA);
