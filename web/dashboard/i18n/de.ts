import type { Catalog } from '../lib/i18n.tsx';

const words: Catalog = {};

export default words;
