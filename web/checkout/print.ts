/** The only script of a receipt. */
document.querySelector('[data-print]')?.addEventListener('click', () => print());
