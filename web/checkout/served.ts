/** The only script of pages that stay as they are served. */
document.querySelector('[data-print]')?.addEventListener('click', () => print());
// The answer to a form takes the place of its page, so that neither Back nor a reload asks to send it again.
if (document.querySelector('form[method=post]'))
  history.replaceState(null, '', location.pathname.replace(/\/open$/, '') + location.search);
for (const time of document.querySelectorAll('time'))
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'long',
    timeStyle: 'long',
    numberingSystem: 'latn',
  }).format(new Date(time.dateTime));
