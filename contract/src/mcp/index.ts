export { answerMcp, isKnownVersion, mcpParseError, type McpSession } from './server.ts';
export { type CallApi, TOOLS } from './tools.ts';
