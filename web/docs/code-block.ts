import { highlight } from './highlight.ts';
import { html, Html } from './html.ts';
import type { Sample } from './samples.ts';

/** Highlighted code with a copy button. The button needs the page's script and is hidden without it. */
export function codeBlock(code: string, language: string): Html {
  return new Html(
    `<div class="block"><pre tabindex="0"><code>${highlight(code, language)}</code></pre>` +
      '<button type="button" class="copy" aria-label="Copy this code">Copy</button></div>',
  );
}

/** One sample per language. Radio buttons choose between them, so the tabs work without the page's script. */
export function sampleTabs(id: string, legend: string, samples: readonly Sample[]): Html {
  return html`<fieldset class="samples"><legend>Sample: ${legend}</legend>
${samples.map(
  ({ title }, index) => html`<label><input type="radio" name="sample-${id}" value="${index}"
data-language="${title}" ${index === 0 && html`checked`}>${title}</label>`,
)}
${samples.map(
  ({ title, language, code }, index) =>
    html`<div class="sample" data-sample="${index}" role="group" aria-label="${title}">${codeBlock(code, language)}</div>
`,
)}</fieldset>
`;
}
