/** What no webhook may ever reach in production, by address. */
const FORBIDDEN_IPV4 = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.254', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.0.0.53', '127.255.255.254',
  '168.63.129.16', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.254', '192.0.0.1', '192.0.0.192', '192.0.2.1',
  '192.168.0.1', '192.168.255.254', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
];

const FORBIDDEN_IPV6 = [
  '::', '::1', 'fe80::1', 'fe80::5efe:a00:1', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fec0::1', 'ff02::1', 'ff05::2',
  '2001:db8::1', '100::1', '2001::1', '2001:0:ce49:7601:e866:efff:62c3:fffe', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:c0a8:1::1',
  '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1', '::7f00:1', '::127.0.0.1', '::a9fe:a9fe', '::10.0.0.1',
  '::ffff:0:127.0.0.1', '4000::1', '8000::1', 'e000::1', '0100::ffff:1', '3fff::1', '5f00::1',
];

/** Names that stand for this machine or an inner network, whatever they resolve to. */
const FORBIDDEN_NAMES = [
  'localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', 'ip6-localhost', 'localhost.localdomain', 'printer', 'router.lan', 'nas.local', 'NAS.LOCAL.',
  'db.internal', 'metadata.google.internal', 'instance-data.ec2.internal', 'wiki.intranet', 'box.home.arpa', 'shop.test', 'shop.invalid', 'hidden.onion', 'a',
];

const FORBIDDEN_FORMS = [
  'http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'javascript:alert(1)', 'data:text/plain,x',
  'https://user@example.com/', 'https://user:pass@example.com/', 'https://:pass@example.com/', 'https://example.com@127.0.0.1/', 'https://127.0.0.1#@example.com/',
  'https://example.com:22/', 'https://example.com:25/', 'https://example.com:80/', 'https://example.com:2375/', 'https://example.com:3306/',
  'https://example.com:5432/', 'https://example.com:6379/', 'https://example.com:9200/', 'https://example.com:11211/', 'https://example.com:27017/',
  'https://example.com:0/', 'https://example.com:99999/', 'https://', 'https:///', 'https://[::1', '//example.com/', 'example.com', '', ' ',
];

/** One IPv4 address in every way of writing that a URL parser understands, and inside IPv6 ones. */
function spellings(address: string): string[] {
  const parts = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = parts;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  const octal = (value: number) => `0${value.toString(8)}`;
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${hex(whole).padStart(8, '0')}`,
    octal(whole),
    parts.map((part) => `0x${hex(part)}`).join('.'),
    parts.map(octal).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    [...address].map((digit) => (digit === '.' ? '。' : String.fromCodePoint(0xff10 + Number(digit)))).join(''),
    `[::ffff:${address}]`,
    `[::ffff:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
  ];
}

/** URLs that must be refused wherever private addresses are not allowed. */
export const forbiddenUrls: string[] = [
  ...FORBIDDEN_IPV4.flatMap(spellings).map((host) => `https://${host}/hook`),
  ...FORBIDDEN_IPV6.map((address) => `https://[${address}]/hook`),
  ...FORBIDDEN_NAMES.map((name) => `https://${name}/hook`),
  ...FORBIDDEN_FORMS,
];

/** Refused everywhere, in the development profile too. */
export const metadataAddresses = [
  '169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1',
  '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '::a9fe:a9fe', '0.0.0.0', '::', '224.0.0.1', '255.255.255.255',
];

export const allowedUrls = [
  'https://example.com/', 'https://example.com:443/', 'https://example.com:8443/x', 'https://hooks.shop.example.co.uk:3000/a/b?c=d',
  'https://8.8.8.8/', 'https://1.1.1.1:4443/', 'https://[2606:4700::1111]/', 'https://[2a00:1450:4001:81b::200e]:8443/', 'https://xn--bcher-kva.example/',
  'https://bücher.example/', 'https://172.15.0.1/', 'https://172.32.0.1/', 'https://169.253.0.1/', 'https://11.0.0.1/', 'https://localhost.example.com/', 'https://internal.example.com/',
];
