import { describe, expect, test, vi } from 'vitest';

// The client of the API reads the mode of the browser when it is loaded.
vi.stubGlobal('localStorage', { getItem: () => null });
const { ApiError } = await import('../lib/api.ts');
const { fieldProblems } = await import('./field-problems.tsx');
vi.unstubAllGlobals();

const labels = { frame_parents: 'Allowed embed origins', code: 'Code', tx_hash: 'Transaction hash' };
const refusal = (status: number, code: InstanceType<typeof ApiError>['code'], param: string | null) =>
  new ApiError(status, { code, message: '`frame_parents[0]` must be an origin.', param }, null);

describe('a refusal is shown at one field, or beside the form, and never at both', () => {
  test.each([
    ['names a field', refusal(400, 'invalid_request', 'tx_hash'), 'tx_hash'],
    ['names an entry of a field', refusal(400, 'invalid_request', 'frame_parents[0]'), 'frame_parents'],
    ['is about one field without naming it', refusal(401, 'invalid_code', null), 'code'],
    ['names a field that the form does not have', refusal(400, 'invalid_request', 'amount'), undefined],
    ['names nothing', refusal(403, 'forbidden', null), undefined],
    ['names a field, but cannot be answered now', refusal(503, 'service_unavailable', 'tx_hash'), undefined],
    ['names a field, but came too often', refusal(429, 'rate_limited', 'tx_hash'), undefined],
    ['is not from the service', new Error('no wallet'), undefined],
  ])('one that %s', (_, error, field) => {
    const { errorOf, otherError } = fieldProblems(error, labels, { invalid_code: 'code' });
    expect(Object.keys(labels).filter((param) => errorOf(param))).toEqual(field === undefined ? [] : [field]);
    expect(otherError).toBe(field === undefined ? error : null);
  });

  test.each([
    ['`frame_parents[0]` must not be `code`.', '“Allowed embed origins” must not be “Code”.'],
    ['`frame_parents` must be `https`.', '“Allowed embed origins” must be https.'],
  ])('and its sentence names the fields by their labels: %s', (message, said) => {
    const error = new ApiError(400, { code: 'invalid_request', message, param: 'frame_parents[0]' }, null);
    const { errorOf } = fieldProblems(error, labels);
    expect(errorOf('frame_parents')).toMatchObject({ props: { children: said } });
  });

  test('and in the words of the form, if it knows better', () => {
    const own = { tx_hash: 'Paste the transaction.' };
    const { errorOf } = fieldProblems(refusal(400, 'invalid_request', 'tx_hash'), labels, {}, own);
    expect(errorOf('tx_hash')).toMatchObject({ props: { children: own.tx_hash } });
  });
});
