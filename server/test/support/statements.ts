import { fileURLToPath } from 'node:url';
import { API, type Checker, type Project, type Symbol as CompilerSymbol, type Type } from 'typescript/unstable/sync';
import {
  type CallExpression,
  type FunctionDeclaration,
  type Identifier,
  type Node,
  type ReturnStatement,
  SyntaxKind,
  type TemplateExpression,
  type VariableDeclaration,
} from 'typescript/unstable/ast';
import * as links from '../../src/resources/payment-links/link.ts';
import * as sessions from '../../src/resources/checkout-sessions/session.ts';
import * as orders from '../../src/settlement/records/order.ts';
import * as lists from '../../src/settlement/records/sql-lists.ts';

/** The computed texts that statements contain, by the names of their constants: lists of the contract, and of columns. */
const LISTS: Given = new Map(
  Object.entries({ ...lists, ...orders, ...sessions, ...links }).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, [text]]] : [],
  ),
);

/** A `query` call in the sources: every text that its SQL can be, and the declared row type. */
export interface Statement {
  place: string;
  name: string;
  texts: string[];
  /** The declared type of each property, or null without a row type. */
  row: Map<string, Property> | null;
}

export interface Property {
  /** `string`, `bigint`, `Date`, …; literal unions as their base. */
  type: string;
  nullable: boolean;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Reads all named statements of the service by the compiler, with the types of their rows. */
export function readStatements(): { statements: Statement[]; unreadable: string[] } {
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] }).getProjects()[0] as Project;
    const statements: Statement[] = [];
    const unreadable: string[] = [];
    for (const file of project.program.getSourceFileNames()) {
      if (!file.startsWith(`${root}server/src/`) || file.endsWith('.test.ts')) continue;
      const source = project.program.getSourceFile(file);
      if (source)
        walk(source, (call) => {
          const place = `${file.slice(root.length)}:${source.text.slice(0, call.getStart(source)).split('\n').length}`;
          const found = readStatement(project, call, place);
          if (found === 'unreadable') unreadable.push(place);
          else if (found) statements.push(found);
        });
    }
    return { statements, unreadable };
  } finally {
    api.close();
  }
}

function walk(node: Node, see: (call: CallExpression) => void): void {
  if (node.kind === SyntaxKind.CallExpression) see(node as CallExpression);
  node.forEachChild((child) => {
    walk(child, see);
  });
}

function readStatement(project: Project, call: CallExpression, place: string): Statement | 'unreadable' | undefined {
  const { checker } = project;
  const [nameNode, sqlNode] = call.arguments;
  const callee = call.expression as { name?: { text: string } } & Node;
  if (callee.kind !== SyntaxKind.PropertyAccessExpression || callee.name?.text !== 'query' || !nameNode || !sqlNode)
    return undefined;

  const names = textsOf(project, nameNode);
  const texts = textsOf(project, sqlNode);
  if (!names || !texts) return 'unreadable';
  const rowNode = call.typeArguments?.[0];
  const row = rowNode && checker.getTypeFromTypeNode(rowNode);
  return { place, name: names.join(' or '), texts, row: row ? propertiesOf(checker, row, rowNode) : null };
}

type Given = ReadonlyMap<string, string[]>;

/** Every text that an expression of constants can be; undefined if it depends on more. */
function textsOf(project: Project, node: Node, given: Given = LISTS): string[] | undefined {
  switch (node.kind) {
    case SyntaxKind.StringLiteral:
    case SyntaxKind.NoSubstitutionTemplateLiteral:
      return [(node as Node & { text: string }).text];
    case SyntaxKind.TemplateExpression: {
      const { head, templateSpans } = node as TemplateExpression;
      let texts: string[] | undefined = [head.text];
      for (const span of templateSpans) {
        const parts = textsOf(project, span.expression, given);
        texts = parts && texts?.flatMap((text) => parts.map((part) => text + part + span.literal.text));
      }
      return texts;
    }
    case SyntaxKind.ConditionalExpression: {
      const { whenTrue, whenFalse } = node as Node & { whenTrue: Node; whenFalse: Node };
      const [yes, no] = [textsOf(project, whenTrue, given), textsOf(project, whenFalse, given)];
      return yes && no && [...yes, ...no];
    }
    case SyntaxKind.ParenthesizedExpression:
    case SyntaxKind.AsExpression:
      return textsOf(project, (node as Node & { expression: Node }).expression, given);
    case SyntaxKind.CallExpression:
      return textsOfCall(project, node as CallExpression, given);
    case SyntaxKind.Identifier: {
      const known = given.get((node as Identifier).text);
      if (known) return known;
      const value = initializerOf(project, node as Identifier);
      return (value && textsOf(project, value, given)) ?? numberOf(project, node);
    }
    default:
      return numberOf(project, node);
  }
}

/** A function that only builds a text from its arguments. */
function textsOfCall(project: Project, call: CallExpression, given: Given): string[] | undefined {
  const declaration = declarationOf(project, call.expression as Identifier) as FunctionDeclaration | undefined;
  if (declaration?.kind !== SyntaxKind.FunctionDeclaration) return undefined;
  const parameters = new Map(LISTS);
  for (const [at, parameter] of declaration.parameters.entries()) {
    const argument = call.arguments[at] ?? parameter.initializer;
    const texts = argument && textsOf(project, argument, given);
    if (texts) parameters.set((parameter.name as Identifier).text, texts);
  }
  const [only, ...more] = declaration.body?.statements ?? [];
  if (only?.kind !== SyntaxKind.ReturnStatement || more.length > 0) return undefined;
  const { expression } = only as ReturnStatement;
  return expression && textsOf(project, expression, parameters);
}

/** For preparing, any number will do. */
function numberOf(project: Project, node: Node): string[] | undefined {
  const type = project.checker.getTypeAtLocation(node);
  const base = type && (project.checker.getBaseTypeOfLiteralType(type) ?? type);
  return base && project.checker.typeToString(base) === 'number' ? ['1'] : undefined;
}

function initializerOf(project: Project, name: Identifier): Node | undefined {
  const declaration = declarationOf(project, name);
  return declaration?.kind === SyntaxKind.VariableDeclaration
    ? (declaration as VariableDeclaration).initializer
    : undefined;
}

function declarationOf(project: Project, name: Identifier): Node | undefined {
  const { checker } = project;
  let symbol: CompilerSymbol | undefined = checker.getSymbolAtLocation(name);
  const declared = symbol?.declarations[0]?.resolve(project);
  if (symbol && declared?.kind === SyntaxKind.ImportSpecifier) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.valueDeclaration?.resolve(project);
}

function propertiesOf(checker: Checker, row: Type, at: Node): Map<string, Property> {
  return new Map(
    checker.getPropertiesOfType(row).map((property) => {
      const type = checker.getTypeOfSymbolAtLocation(property, at);
      const present = checker.getNonNullableType(type) ?? type;
      const base = checker.getBaseTypeOfLiteralType(present) ?? present;
      return [
        property.name,
        { type: checker.typeToString(base), nullable: /\b(null|undefined)\b/.test(checker.typeToString(type)) },
      ];
    }),
  );
}
