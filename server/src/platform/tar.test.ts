import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { tar } from './tar.ts';

test('tar reads what was written, byte for byte', () => {
  const files = [
    { path: 'package/package.json', data: Buffer.from('{}') },
    { path: 'package/dist/a.js', data: Buffer.alloc(512, 'a') },
    { path: 'package/empty', data: Buffer.alloc(0) },
  ];
  const archive = tar(files);
  expect(execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')).toEqual(
    files.map(({ path }) => path),
  );
  for (const { path, data } of files)
    expect(execFileSync('tar', ['-xOf', '-', path], { input: archive })).toEqual(data);
});

test('the same files are the same bytes', () => {
  const files = () => [{ path: 'a', data: Buffer.from('b') }];
  expect(tar(files())).toEqual(tar(files()));
});
