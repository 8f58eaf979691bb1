// The documentation works without this file. It adds search, copying, and one choice of language for all samples.

const input = document.getElementById('search');
const results = document.getElementById('results');
const status = document.getElementById('results-status');
const MAX_RESULTS = 8;
let entries;
let active = -1;

async function loadEntries() {
  entries ??= fetch('/docs/search.json').then((response) => response.json());
  return entries;
}

/** Every word has to occur. A title that begins with the words comes first, a text that contains them last. */
function rank(entry, words) {
  const title = entry.t.toLowerCase();
  const text = `${entry.p} ${entry.x}`.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (title.startsWith(word)) score += 12;
    else if (title.includes(word)) score += 8;
    else if (text.includes(word)) score += 1;
    else return 0;
  }
  if (title === words.join(' ')) score += 20;
  return entry.p === '' ? score + 2 : score;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return close();
  const all = await loadEntries();
  const found = all
    .map((entry) => ({ entry, score: rank(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS);
  results.replaceChildren(...found.map(({ entry }, index) => option(entry, words, index)));
  if (found.length === 0) {
    const none = document.createElement('li');
    none.className = 'none';
    none.setAttribute('role', 'option');
    none.setAttribute('aria-disabled', 'true');
    none.textContent = `No results for “${input.value.trim()}”`;
    results.append(none);
  }
  status.textContent = found.length === 1 ? '1 result' : `${found.length} results`;
  results.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  select(found.length > 0 ? 0 : -1);
}

function option(entry, words, index) {
  const item = document.createElement('li');
  item.id = `result-${index}`;
  item.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = entry.a;
  link.tabIndex = -1;
  const title = document.createElement('b');
  title.textContent = entry.p ? `${entry.p} › ${entry.t}` : entry.t;
  const text = document.createElement('span');
  text.textContent = excerpt(entry.x, words);
  link.append(title, text);
  item.append(link);
  return item;
}

function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 110)}`;
}

function select(index) {
  active = index;
  [...results.children].forEach((item, place) => {
    item.setAttribute('aria-selected', String(place === index));
    if (place === index) item.scrollIntoView({ block: 'nearest' });
  });
  if (index >= 0) input.setAttribute('aria-activedescendant', `result-${index}`);
  else input.removeAttribute('aria-activedescendant');
}

function close() {
  results.hidden = true;
  status.textContent = '';
  input.setAttribute('aria-expanded', 'false');
  select(-1);
}

input.addEventListener('focus', loadEntries);
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  const count = results.querySelectorAll('a').length;
  if (event.key === 'Escape') {
    if (results.hidden) input.blur();
    close();
  } else if (event.key === 'ArrowDown' && count > 0) select((active + 1) % count);
  else if (event.key === 'ArrowUp' && count > 0) select((active + count - 1) % count);
  else if (event.key === 'Enter') results.children[active]?.querySelector('a')?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search') || event.target.closest('#results a')) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea')) return;
  event.preventDefault();
  input.focus();
  input.select();
});

document.addEventListener('click', async (event) => {
  const button = event.target.closest('.copy');
  if (!button) return;
  const isCopied = await copy(button.parentElement.querySelector('code').textContent);
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
});

/** The clipboard is missing on pages without HTTPS, so the text is selected there for the keyboard. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'unseen';
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}

const LANGUAGE = 'quittance-docs-language';

function chooseLanguage(language) {
  for (const radio of document.querySelectorAll('.samples input')) {
    if (radio.dataset.language === language) radio.checked = true;
  }
}

document.addEventListener('change', (event) => {
  const { language } = event.target.dataset;
  if (!language) return;
  const top = event.target.getBoundingClientRect().top;
  chooseLanguage(language);
  // Samples above changed their height; the reader's own stays where it was.
  scrollBy(0, event.target.getBoundingClientRect().top - top);
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {}
});
try {
  const language = localStorage.getItem(LANGUAGE);
  if (language) chooseLanguage(language);
} catch {}
