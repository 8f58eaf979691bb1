/** What is read again after a change of a key. */
export const CHANGED_BY_KEYS = ['keys', 'onboarding'];
