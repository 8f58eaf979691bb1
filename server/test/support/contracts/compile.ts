// Compiles contracts.sol into contracts.json. Run by hand after a change: `node
// server/test/support/contracts/compile.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Compiled {
  abi: unknown[];
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, Compiled>>;
}

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
const source = readFileSync(new URL('./contracts.sol', import.meta.url), 'utf8');

const output = JSON.parse(solc.compile(JSON.stringify({
  language: 'Solidity',
  sources: { 'contracts.sol': { content: source } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    metadata: { appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
}))) as Output;

const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));

// A line for each function, so that a change of one is a line of the diff.
const texts = Object.entries(output.contracts['contracts.sol'] ?? {}).map(([name, { abi, evm }]) => ` "${name}": {
  "abi": [
${abi.map((entry) => `   ${JSON.stringify(entry)}`).join(',\n')}
  ],
  "bytecode": "0x${evm.bytecode.object}",
  "deployedBytecode": "0x${evm.deployedBytecode.object}"
 }`);
writeFileSync(new URL('./contracts.json', import.meta.url), `{\n${texts.join(',\n')}\n}\n`);
