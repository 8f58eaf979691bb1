import { writeSchema } from '../server/test/support/schema.ts';
import { writeCoins } from './coins-tables.ts';
import { writeTables } from './retention-table.ts';
import { writeSettings } from './settings-table.ts';
import { writeVectors } from './vectors.ts';

// `npm run docs`: writes the pages and sections that are generated from tables in the code.
writeSettings();
writeTables();
writeCoins();
writeVectors();
await writeSchema();
