import { describeLies } from '../support/lies/shop.ts';
import { SOLANA_USDC } from '../support/lies/solana.ts';

describeLies(SOLANA_USDC);
