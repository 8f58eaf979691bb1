import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ConfigError } from '../src/platform/errors.ts';
import { Client } from '../src/platform/http/admission/client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const linesOf = (pattern: string, line: RegExp) =>
  globSync(pattern, { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(line)].map(([, name]) => `${name}`),
  );

test('every image is pinned to one release, so that a build tomorrow is the one of today', () => {
  const images = linesOf('deploy/**/{*.yaml,Dockerfile}', /^(?:FROM|\s*image:) +([^{\s]+)/gm);
  expect(images).toContain('quittance-server:0.1.0');
  expect(images.filter((image) => !/:\d+\.\d+[\w.-]*$/.test(image))).toEqual([]);
});

test('every action of CI is pinned to a commit', () => {
  const actions = linesOf('.github/workflows/*.yml', /uses: +(\S+)/g);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

const nginx = readFileSync(join(root, 'deploy/nginx/quittance.conf'), 'utf8');

test('nginx limits the connections of an IPv6 client by its /64, as the service does', () => {
  const ranges = [...nginx.matchAll(/^ +"~(\^\S+)" \$quittance_\w+;$/gm)].map(([, range]) => new RegExp(`${range}`));
  const limitedBy = (address: string) => ranges.map((range) => range.exec(address)?.[1]).find(Boolean) ?? address;
  expect(nginx).toContain('map $remote_addr $quittance_client {');
  expect(nginx).toMatch(/limit_conn_zone \$quittance_client zone=(\w+):[\s\S]*limit_conn \1 \d+;/);
  const addresses = [
    ...['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::1', '2001:db8:1:2::', '2001:db8:1:2:0:ffff:0:1'],
    ...['2001:db8:1:3::1', '2001:db8:1::1', '2001:db8:1::5:0:0:1', '2001:db8::1', '2001:db8::7:0:0:1'],
    ...['203.0.113.9', '203.0.113.10'],
  ];
  for (const one of addresses)
    for (const other of addresses)
      expect(limitedBy(one) === limitedBy(other), `${one} and ${other}`).toBe(
        Client.at(one).narrow === Client.at(other).narrow,
      );
});

test('no proxy writes where a customer was, since the address of a checkout is a capability', () => {
  const [, format = ''] = /^log_format quittance '([^']+)';$/m.exec(nginx) ?? [];
  expect(format).toContain('$status');
  expect(format).not.toMatch(/\$(?:request\b|request_uri|uri|document_uri|args|query_string|http_|sent_http_|arg_)/);
  for (const [, path, name] of nginx.matchAll(/^ *access_log (\S+?)(?: (\S+))?;/gm))
    expect(path === 'off' || name === 'quittance', path).toBe(true);
  // Lines of errors have the whole request.
  expect(nginx).toMatch(/^ *error_log \S+ crit;$/m);
  expect(linesOf('deploy/caddy/Caddyfile', /^\s*(log)\b/gm)).toEqual([]);
});

test('only the proxy may name clients: no file trusts a range of all that is private', () => {
  const trusted = [
    ...linesOf('deploy/**/*.{yaml,service}', /TRUSTED_PROXIES[:=] *(.*)$/gm),
    ...linesOf('docs/**/*.md', /^TRUSTED_PROXIES=(.*)$/gm),
  ];
  expect(trusted.length).toBeGreaterThan(2);
  expect(trusted.filter((value) => !/^(""|\d+(\.\d+){3})$/.test(value))).toEqual([]);
  for (const [file, name] of [
    ['deploy/nginx/quittance.conf', 'proxy_set_header X-Forwarded-For $remote_addr;'],
    ['deploy/caddy/Caddyfile', 'header_up X-Forwarded-For {remote_host}'],
  ] as const)
    expect(readFileSync(join(root, file), 'utf8')).toContain(name);
});

test('the monitor outside sees a dead database: proxies pass /readyz, and each guide names it', () => {
  expect(nginx.match(/^.*readyz.*$/gm)).toBeNull();
  expect(linesOf('deploy/caddy/Caddyfile', /^.*(readyz).*$/gm)).toEqual([]);
  // What answers while the database is away says nothing of the checkouts.
  const advice = linesOf('docs/**/*.md', /\blet\s+a\s+service\s+(?:outside|elsewhere)[^`]*`([^`]+)`/gi);
  expect(advice).toHaveLength(3);
  expect(advice.filter((path) => !path.endsWith('/readyz'))).toEqual([]);
});

test('systemd does not start the service again while a setting is wrong', () => {
  const { exitCode } = new ConfigError('wrong');
  const codes = linesOf('deploy/systemd/quittance.service', /^RestartPreventExitStatus=(.*)$/gm);
  expect(codes).toEqual([String(exitCode)]);
});

test('CI looks for known vulnerabilities of what is shipped', () => {
  const commands = linesOf('.github/workflows/*.yml', /^ *run: +(npm audit\b.*)$/gm);
  expect(commands).toEqual([expect.stringContaining('--omit=dev')]);
});
