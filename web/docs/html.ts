/** Text that is HTML already. Templates escape everything else. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/** HTML with its values escaped. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return new Html(
    strings.reduce((text, string, index) => text + string + (index < values.length ? write(values[index]) : ''), ''),
  );
}

/** Parts in a row, with a separator between them. */
export function separated(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && separator}${part}`)}`;
}

function write(value: Part): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(write).join('');
  return value instanceof Html ? value.text : escapeHtml(String(value));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The Markdown that descriptions use: paragraphs, `code`, **strong**. */
export function prose(text: string | undefined): Html {
  return new Html(
    (text ?? '')
      .split('\n\n')
      .filter(Boolean)
      .map((paragraph) => `<p>${inline(paragraph).text}</p>`)
      .join('\n'),
  );
}

/** The same within a line. */
export function inline(text: string | undefined): Html {
  return new Html(
    escapeHtml(text ?? '')
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );
}
