import { codeBlock } from './code-block.ts';
import { escapeHtml, Html } from './html.ts';

/** Maps the address of a link to a page of these docs; undefined renders only the text. */
type Resolve = (address: string) => string | undefined;

/** The Markdown that the guides use: headings, paragraphs, fences, tables and lists. */
export function markdown(text: string, resolve: Resolve): Html {
  const lines = text.split('\n');
  const parts: string[] = [];
  const ids = new Set<string>();
  while (lines.length > 0) {
    const line = lines[0] as string;
    if (line.trim() === '' || line.startsWith('![') || line.startsWith('<!--')) lines.shift();
    else if (line.startsWith('```')) parts.push(fence(lines));
    else if (line.startsWith('#')) parts.push(heading(lines.shift() as string, resolve, ids));
    else if (line.startsWith('|'))
      parts.push(
        table(
          take(lines, (next) => next.startsWith('|')),
          resolve,
        ),
      );
    else if (ITEM.test(line))
      parts.push(
        list(
          take(lines, (next) => ITEM.test(next) || next.startsWith(' ')),
          resolve,
        ),
      );
    else
      parts.push(
        `<p>${words(take(lines, (next) => next.trim() !== '' && !next.startsWith('```')).join(' '), resolve)}</p>`,
      );
  }
  return new Html(parts.join('\n'));
}

const ITEM = /^(?:-|[0-9]+\.) /;

function take(lines: string[], belongs: (line: string) => boolean): string[] {
  let end = 1;
  while (end < lines.length && belongs(lines[end] as string)) end++;
  return lines.splice(0, end);
}

/** A program; what follows the language names the file that a reader saves it as. */
function fence(lines: string[]): string {
  const [, language = '', file = ''] = /^```(\w*) ?(.*)$/.exec(lines.shift() as string) ?? [];
  const end = lines.indexOf('```');
  const code = lines.splice(0, end < 0 ? lines.length : end);
  lines.shift();
  const text = codeBlock(code.join('\n'), language).text;
  return file ? `<figure><figcaption>${escapeHtml(file)}</figcaption>${text}</figure>` : text;
}

/** A step's number is not a part of its address, so that steps can be reordered. */
function heading(line: string, resolve: Resolve, ids: Set<string>): string {
  const [, marks = '#', text = ''] = /^(#+) +(.*)$/.exec(line) ?? [];
  const level = Math.min(marks.length, 3);
  const name = text
    .replace(/^[0-9]+\. /, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  let id = name;
  for (let count = 2; ids.has(id); count++) id = `${name}-${count}`;
  if (level > 1) ids.add(id);
  return level === 1
    ? `<h1>${words(text, resolve)}</h1>`
    : `<h${level} id="${id}"><a href="#${id}">${words(text, resolve)}</a></h${level}>`;
}

function table(lines: string[], resolve: Resolve): string {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => words(cell.trim().replaceAll('\\|', '|'), resolve));
  const [head = '', , ...rows] = lines;
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(head)
    .map((cell) => `<th scope="col">${cell}</th>`)
    .join('')}</tr></thead>
<tbody>${rows
    .map(
      (row) =>
        `<tr>${cells(row)
          .map((cell) => `<td>${cell}</td>`)
          .join('')}</tr>`,
    )
    .join('\n')}</tbody></table></div>`;
}

function list(lines: string[], resolve: Resolve): string {
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const tag = (lines[0] as string).startsWith('-') ? 'ul' : 'ol';
  return `<${tag} class="list">${items.map((item) => `<li>${words(item, resolve)}</li>`).join('\n')}</${tag}>`;
}

// Code first, so that nothing inside it is parsed.
function words(text: string, resolve: Resolve): string {
  return text
    .split(/(`` .+? ``|`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1 ? `<code>${escapeHtml(part.replace(/^`+ ?| ?`+$/g, ''))}</code>` : marks(part),
    )
    .join('')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, address: string) => {
      const target = resolve(address);
      return target ? `<a href="${escapeHtml(target)}">${label}</a>` : label;
    });
}

function marks(text: string): string {
  return escapeHtml(text)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>');
}
