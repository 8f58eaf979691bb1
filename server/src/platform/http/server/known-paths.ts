/** Every path and its methods, to distinguish a wrong method from a wrong path. */
export class KnownPaths {
  readonly #methods = new Map<string, Set<string>>();
  readonly #forms: { form: RegExp; methods: Set<string> }[] = [];

  add(pattern: string, methods: readonly string[]): void {
    let known = this.#methods.get(pattern);
    if (!known) {
      known = new Set();
      this.#methods.set(pattern, known);
      this.#forms.push({ form: toForm(pattern), methods: known });
    }
    for (const method of methods) known.add(method);
  }

  /** The methods of a path, sorted; none if it is unknown. */
  methodsOf(path: string): string[] {
    const found = new Set<string>();
    for (const { form, methods } of this.#forms) if (form.test(path)) for (const method of methods) found.add(method);
    return [...found].sort();
  }
}

function toForm(pattern: string): RegExp {
  const source = pattern
    .split(/(:[A-Za-z_]+|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
