/** The only script of pages that stay as they are served. */
document.querySelector('[data-print]')?.addEventListener('click', () => print());
// What was typed into a payment link's form stays for Back, in this tab: the browser itself keeps no such page.
const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
for (const input of document.querySelectorAll<HTMLInputElement>('form[action^="/pay/"] .field input'))
  try {
    const key = `quittance:${input.form?.action}:${input.name}`;
    if (visit?.type === 'back_forward') input.value = sessionStorage.getItem(key) ?? input.value;
    else sessionStorage.setItem(key, input.value);
    input.addEventListener('input', () => sessionStorage.setItem(key, input.value));
  } catch {
    // Forbidden, as in some frames.
  }
// The answer to a form takes the place of its page, so that neither Back nor a reload asks to send it again.
if (document.querySelector('form[method=post]'))
  history.replaceState(null, '', location.pathname.replace(/\/open$/, '') + location.search);
for (const time of document.querySelectorAll('time'))
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'long',
    timeStyle: 'long',
    numberingSystem: 'latn',
  }).format(new Date(time.dateTime));
