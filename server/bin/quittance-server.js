#!/usr/bin/env node
// Settings that stand in a file named .env beside the service; what the environment already says wins.
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');
await import('../src/commands/main.ts');
