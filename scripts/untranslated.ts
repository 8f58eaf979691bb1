/** Lists the dashboard's sentences that a language lacks, and so shows in English: `npm run program -- untranslated`. */
import { catalogs } from '../web/dashboard/i18n/catalogs.ts';
import { plurals, sentences } from '../web/dashboard/i18n/en.ts';

const english = [...sentences, ...Object.keys(plurals)];
for (const [locale, load] of Object.entries(catalogs)) {
  const { default: catalog } = await load();
  const missing = english.filter((sentence) => !(sentence in catalog));
  console.log(`${locale}: ${english.length - missing.length} of ${english.length}`);
  for (const sentence of missing) console.log(`  ${sentence}`);
}
