/** The only script of pages that stay as they are served. */
document.querySelector('[data-print]')?.addEventListener('click', () => print());
// What answers a form takes the place of its page, so that Back and a reload ask to send nothing again.
if (document.querySelector('form[method=post]'))
  history.replaceState(null, '', location.pathname.replace(/\/open$/, '') + location.search);
for (const time of document.querySelectorAll('time'))
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'long',
    timeStyle: 'long',
    numberingSystem: 'latn',
  }).format(new Date(time.dateTime));
