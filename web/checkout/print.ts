/** All that a receipt needs of a script. */
document.querySelector('[data-print]')?.addEventListener('click', () => print());
