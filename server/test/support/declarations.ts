import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';
import { type ConditionalExpression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';

interface Place {
  /** The path below the root. */
  path: string;
  /** The path and the line. */
  place: string;
}

/** A function, a method or the signature of one. */
export interface DeclaredFunction extends Place {
  parameters: number;
  lines: number;
}

/** A conditional expression that is not a branch of another. */
export interface Conditional extends Place {
  /** How many conditional expressions stand in each other's branches. */
  depth: number;
}

export interface Declarations {
  functions: DeclaredFunction[];
  conditionals: Conditional[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PROJECTS = ['', 'sdk/', 'cli/', 'web/', 'web/dashboard/'];
const NOT_OURS = /(^|\/)(node_modules|dist)\/|\.d\.ts$/;
const KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.FunctionType,
  SyntaxKind.Constructor,
]);

/** Every function and every conditional expression of our code, tests included, read by the compiler. */
export function readDeclarations(): Declarations {
  const api = new API({ cwd: root });
  try {
    const files = new Map<string, SourceFile>();
    const openProjects = PROJECTS.map((folder) => `${root}${folder}tsconfig.json`);
    for (const { program } of api.updateSnapshot({ openProjects }).getProjects())
      for (const path of program.getSourceFileNames()) {
        const isOurs = path.startsWith(root) && !NOT_OURS.test(path.slice(root.length));
        const file = isOurs && !files.has(path) ? program.getSourceFile(path) : undefined;
        if (file) files.set(path, file);
      }
    const found: Declarations = { functions: [], conditionals: [] };
    for (const [path, file] of files) collect(file, path.slice(root.length), found);
    return found;
  } finally {
    api.close();
  }
}

function collect(file: SourceFile, path: string, { functions, conditionals }: Declarations): void {
  const lineAt = (position: number) => file.text.slice(0, position).split('\n').length;
  (function walk(node: Node): void {
    if (KINDS.has(node.kind)) {
      const { parameters } = node as Node & { parameters: readonly Node[] };
      const line = lineAt(node.getStart(file));
      functions.push({
        path,
        place: `${path}:${line}`,
        parameters: parameters.length,
        lines: lineAt(node.end) - line + 1,
      });
    }
    if (node.kind === SyntaxKind.ConditionalExpression && !isBranch(node))
      conditionals.push({ path, place: `${path}:${lineAt(node.getStart(file))}`, depth: depthOf(node) });
    node.forEachChild((child) => {
      walk(child);
    });
  })(file);
}

function isBranch(node: Node): boolean {
  let [child, parent] = [node, node.parent];
  while (parent.kind === SyntaxKind.ParenthesizedExpression) [child, parent] = [parent, parent.parent];
  return parent.kind === SyntaxKind.ConditionalExpression && (parent as ConditionalExpression).condition !== child;
}

function depthOf(node: Node): number {
  if (node.kind === SyntaxKind.ParenthesizedExpression)
    return depthOf((node as Node & { expression: Node }).expression);
  if (node.kind !== SyntaxKind.ConditionalExpression) return 0;
  const { whenTrue, whenFalse } = node as ConditionalExpression;
  return 1 + Math.max(depthOf(whenTrue), depthOf(whenFalse));
}
