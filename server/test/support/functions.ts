import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';

/** A function, a method or the signature of one. */
export interface DeclaredFunction {
  /** The path below the root, and the line. */
  place: string;
  parameters: number;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PROJECTS = ['', 'sdk/', 'cli/', 'web/', 'web/dashboard/'];
const NOT_SOURCES = /(^|\/)(node_modules|dist|test)\/|\.test\.tsx?$|\.d\.ts$/;
const KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.FunctionType,
  SyntaxKind.Constructor,
]);

/** Every function that our sources declare, without tests, read by the compiler. */
export function readFunctions(): DeclaredFunction[] {
  const api = new API({ cwd: root });
  try {
    const files = new Map<string, SourceFile>();
    const openProjects = PROJECTS.map((folder) => `${root}${folder}tsconfig.json`);
    for (const { program } of api.updateSnapshot({ openProjects }).getProjects())
      for (const path of program.getSourceFileNames()) {
        const isOurs = path.startsWith(root) && !NOT_SOURCES.test(path.slice(root.length));
        const file = isOurs && !files.has(path) ? program.getSourceFile(path) : undefined;
        if (file) files.set(path, file);
      }
    return [...files].flatMap(([path, file]) => functionsIn(file, path.slice(root.length)));
  } finally {
    api.close();
  }
}

function functionsIn(file: SourceFile, path: string): DeclaredFunction[] {
  const found: DeclaredFunction[] = [];
  (function walk(node: Node): void {
    if (KINDS.has(node.kind)) {
      const { parameters } = node as Node & { parameters: readonly Node[] };
      const line = file.text.slice(0, node.getStart(file)).split('\n').length;
      found.push({ place: `${path}:${line}`, parameters: parameters.length });
    }
    node.forEachChild((child) => {
      walk(child);
    });
  })(file);
  return found;
}
