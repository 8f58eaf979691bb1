import { Registry } from 'prom-client';

/** What the nouns count, of this whole process; `/metrics` shows it beside the runtime's own figures. */
export const metrics = new Registry();
