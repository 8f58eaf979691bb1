import { writeCoins } from './coins-tables.ts';
import { writeDefenses } from './defenses-table.ts';
import { writeTables } from './retention-table.ts';
import { writeSettings } from './settings-table.ts';

// `npm run docs`: writes the pages and sections that are generated from tables in the code.
writeSettings();
writeTables();
writeDefenses();
writeCoins();
