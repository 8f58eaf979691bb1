import { expect, test } from 'vitest';
import { providerName } from './route-providers.ts';

test.each([
  ['one-click', 'NEAR Intents'],
  ['relay', 'Relay'],
  ['sandbox', 'Sandbox'],
])('the provider %s is shown as %s', (id, name) => {
  expect(providerName(id)).toBe(name);
});
