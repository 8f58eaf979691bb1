import type { Defense } from './list.ts';

const mcp = 'contract/src/mcp';
const tools = `${mcp}/server.test.ts`;

/** What an agent with a key can do, and how it sees strangers' texts. */
export const AGENT_DEFENSES: readonly Defense[] = [
  {
    rule: 'An agent with a key that lacks the scope of a tool cannot use it',
    file: `${mcp}/server.ts`,
    defends: 'if (refusal) return success(id, problem(refusal));',
    without: 'void refusal;',
    test: tools,
    named: 'a key beyond whose scopes a tool is',
  },
  {
    rule: 'An agent cannot choose the path of a request by an argument',
    file: `${mcp}/server.ts`,
    defends: 'if (objection) return success(id, problem(objection));',
    without: 'void objection;',
    test: tools,
    named: 'arguments reach the API only if',
  },
  {
    rule: 'An agent is shown texts of others only as marked data',
    file: `${mcp}/untrusted.ts`,
    defends: 'return OWN_FIELDS.has(field) && TOKEN.test(value);',
    without: 'return field !== value;',
    test: tools,
    named: 'a text counts as written by the service only in its own fields',
  },
  {
    rule: 'An agent is shown a block of data that nothing inside can end',
    file: `${mcp}/untrusted.ts`,
    defends: 'escapeJson(JSON.stringify(data, null, 1)),',
    without: 'JSON.stringify(data, null, 1),',
    test: tools,
    named: 'nothing inside a block of data can end it',
  },
];
