/** Copies a button's value and says so, in the button and to screen readers. */
export function enableCopyButtons(document: Document): void {
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]');
    if (!button) return;
    const said = button.textContent;
    void navigator.clipboard.writeText(button.dataset.copy ?? '').then(() => {
      button.textContent = button.dataset.copied ?? '';
      button.setAttribute('aria-live', 'polite');
      setTimeout(() => { button.textContent = said; }, 2_000);
    });
  });
}
