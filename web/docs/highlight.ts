import { escapeHtml } from './html.ts';

/** The kind of a piece of code; the class of its span. */
type Kind = 'comment' | 'string' | 'keyword' | 'number' | 'property';

const JS_KEYWORDS =
  'import|from|export|const|let|async|await|function|return|if|else|for|of|in|new|throw|' +
  'try|catch|switch|case|default|true|false|null|undefined|typeof|instanceof|class|extends|while|break|type';
const PYTHON_KEYWORDS =
  'import|from|def|return|if|else|elif|for|in|not|and|or|with|as|raise|try|except|class|True|False|None|while|pass';

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const NUMBER = /\b\d[\d_]*(?:\.\d+)?\b/;

const GRAMMARS: Record<string, [Kind, RegExp][]> = {
  js: [
    ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\//],
    ['string', new RegExp(`${QUOTED.source}|\`(?:[^\`\\\\]|\\\\.)*\``)],
    ['keyword', new RegExp(`\\b(?:${JS_KEYWORDS})\\b(?!\\s*:)`)],
    ['number', NUMBER],
  ],
  json: [
    ['property', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
    ['string', /"(?:[^"\\\n]|\\.)*"/],
    ['keyword', /\b(?:true|false|null)\b/],
    ['number', NUMBER],
  ],
  sh: [
    ['comment', /(?<=^|\s)#[^\n]*/m],
    ['string', /"(?:[^"\\]|\\.)*"|'[^']*'/],
    ['keyword', /(?<=^|\s)(?:curl|npm|npx|node|export|quittance)(?=\s|$)/m],
    ['property', /(?<=\s)--?[A-Za-z][\w-]*/],
  ],
  python: [
    ['comment', /#[^\n]*/],
    ['string', new RegExp(`[fr]?(?:${QUOTED.source})`)],
    ['keyword', new RegExp(`\\b(?:${PYTHON_KEYWORDS})\\b`)],
    ['number', NUMBER],
  ],
  php: [
    ['comment', /(?:\/\/|#(?!\[))[^\n]*|\/\*[\s\S]*?\*\//],
    ['string', QUOTED],
    [
      'keyword',
      /\b(?:require|new|foreach|as|echo|function|return|if|else|throw|try|catch|use|static|true|false|null)\b/,
    ],
    ['number', NUMBER],
  ],
  html: [
    ['comment', /<!--[\s\S]*?-->/],
    ['string', QUOTED],
    ['keyword', /<\/?[a-z][\w-]*|\/?>/],
  ],
};
const ALIASES: Record<string, string> = { ts: 'js', tsx: 'js', javascript: 'js', bash: 'sh', py: 'python' };

/** Code as HTML with a span around each comment, string, keyword, number and property name. */
export function highlight(code: string, language: string): string {
  const grammar = GRAMMARS[ALIASES[language] ?? language];
  if (!grammar) return escapeHtml(code);
  const flags = grammar.some(([, pattern]) => pattern.multiline) ? 'gm' : 'g';
  const pattern = new RegExp(grammar.map(([kind, { source }]) => `(?<${kind}>${source})`).join('|'), flags);
  let out = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['string'];
    out += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return out + escapeHtml(code.slice(end));
}
