import { expect, test } from 'vitest';
import {
  canvas,
  JPEG,
  jpegPart,
  LOSSLESS,
  LOSSY,
  png,
  pngPart,
  webp,
  webpPart,
} from '../../../../test/support/pictures.ts';
import { readPicture } from './picture.ts';

const SECRET = Buffer.from('Exif\0\0 taken at 52.5200 N 13.4050 E');
const FLAGS_OF_TEXTS = 0b0000_1100;

test.each([
  ['PNG', 'image/png', png()],
  ['PNG of the greatest size', 'image/png', png(2_048, 2_048)],
  ['JPEG', 'image/jpeg', JPEG],
  ['lossy WebP', 'image/webp', webp(LOSSY)],
  ['WebP without losses', 'image/webp', webp(LOSSLESS)],
  ['WebP with a canvas', 'image/webp', webp(canvas(0), LOSSY)],
])('a %s is stored as it is', (_what, type, bytes) => {
  expect(readPicture(bytes)).toEqual({ type, bytes });
});

test.each([
  ['of a PNG', png(3, 2, { more: [pngPart('eXIf', SECRET), pngPart('tEXt', SECRET)] }), png()],
  ['behind a PNG', Buffer.concat([png(), SECRET]), png()],
  [
    'of a JPEG',
    Buffer.concat([JPEG.subarray(0, 2), jpegPart(0xe1, SECRET), jpegPart(0xfe, SECRET), JPEG.subarray(2)]),
    JPEG,
  ],
  ['behind a JPEG', Buffer.concat([JPEG, Buffer.from([0xff, 0xd8]), SECRET]), JPEG],
  [
    'of a WebP',
    webp(canvas(FLAGS_OF_TEXTS), LOSSY, webpPart('EXIF', SECRET), webpPart('XMP ', SECRET)),
    webp(canvas(0), LOSSY),
  ],
  ['behind a WebP', Buffer.concat([webp(LOSSY), SECRET]), webp(LOSSY)],
])('where a photo was taken, and everything else that is not drawn, is not kept: %s', (_where, bytes, expected) => {
  expect((readPicture(bytes) as { bytes: Buffer }).bytes).toEqual(expected);
});

test('the colors that a picture is meant in are kept', () => {
  const colors = jpegPart(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01profile', 'latin1'));
  for (const bytes of [
    png(3, 2, { more: [pngPart('iCCP', Buffer.from('profile'))] }),
    Buffer.concat([JPEG.subarray(0, 2), colors, JPEG.subarray(2)]),
    webp(canvas(0b0010_0000), webpPart('ICCP', Buffer.from('profile')), LOSSY),
  ])
    expect(readPicture(bytes)).toMatchObject({ bytes });
});

const frame = JPEG.indexOf(Buffer.from([0xff, 0xc0]));

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'is not a PNG'],
  ['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1'), 'is not a PNG'],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'is not a PNG'],
  [
    'an SVG behind the first bytes of a PNG',
    Buffer.concat([png().subarray(0, 8), Buffer.from('<svg/>')]),
    'is damaged',
  ],
  ['a page behind the first bytes of a JPEG', Buffer.from('\xff\xd8\xff\xe0<html>', 'latin1'), 'is damaged'],
  ['a page in the frame of a WebP', webp(Buffer.from('<script>')), 'is damaged'],
  ['nothing', Buffer.alloc(0), 'is not a PNG'],
  ['a PNG of too many bytes', png(1_000, 400, { noise: true }), 'has more than 180 KiB'],
  ['a PNG that is too wide', png(2_049, 1), 'has 2049 × 1 pixels'],
  [
    'a PNG that claims four thousand million pixels a side',
    png(0xffff_ffff, 0xffff_ffff),
    'has 4294967295 × 4294967295',
  ],
  ['a PNG without a height', png(3, 0), 'has 3 × 0 pixels'],
  ['a second head of a PNG', png(3, 2, { more: [png().subarray(8, 33)] }), 'is damaged'],
  ['a JPEG of 65,535 pixels a side', sized(JPEG, frame + 5, 0xffff), 'has 65535 × 65535 pixels'],
  ['a JPEG without a height', sized(JPEG, frame + 5, 0), 'has 0 × 0 pixels'],
  [
    'a second frame of a JPEG',
    Buffer.concat([JPEG.subarray(0, frame), JPEG.subarray(frame, frame + 19), JPEG.subarray(frame)]),
    'is damaged',
  ],
  ['a JPEG of another kind, which browsers do not show', withByte(JPEG, frame + 1, 0xc3), 'is damaged'],
  ['a WebP with a canvas of 16 million pixels a side', webp(canvas(0, 2 ** 24, 2 ** 24), LOSSY), 'is damaged'],
  ['a canvas without a picture', webp(canvas(0)), 'is damaged'],
  ['two pictures in a WebP', webp(LOSSY, LOSSY), 'is damaged'],
  ['an animated PNG', png(3, 2, { more: [pngPart('acTL', Buffer.alloc(8))] }), 'moves'],
  [
    'an animated WebP',
    webp(canvas(0b10), webpPart('ANIM', Buffer.alloc(6)), webpPart('ANMF', Buffer.alloc(24))),
    'moves',
  ],
  ['an animation that the canvas does not announce', webp(canvas(0), webpPart('ANMF', LOSSY), LOSSY), 'moves'],
])('%s is refused', (_what, bytes, objection) => {
  expect(readPicture(bytes)).toContain(objection);
});

test('a picture that ends early is refused, wherever it ends', () => {
  for (const whole of [png(), JPEG, webp(LOSSY), webp(canvas(0), LOSSLESS)])
    for (let length = 0; length < whole.length; length += 1)
      expect(readPicture(whole.subarray(0, length))).toEqual(expect.any(String));
});

test('no byte that is changed makes the reader throw or keep what it cannot have read', () => {
  for (const whole of [png(), JPEG, webp(LOSSY), webp(canvas(0), LOSSLESS)])
    for (let at = 0; at < whole.length; at += 1)
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const read = readPicture(withByte(whole, at, value));
        if (typeof read !== 'string') expect(read.bytes.length).toBeLessThanOrEqual(whole.length);
      }
});

test('the longest file of the shortest parts is read in a few milliseconds', () => {
  const files = [
    Buffer.concat([png().subarray(0, 33), ...Array.from({ length: 15_000 }, () => pngPart('tEXt', Buffer.alloc(0)))]),
    Buffer.concat([JPEG.subarray(0, 2), ...Array.from({ length: 46_000 }, () => jpegPart(0xfe, Buffer.alloc(0)))]),
    webp(...Array.from({ length: 23_000 }, () => webpPart('JUNK', Buffer.alloc(0)))),
    Buffer.concat([JPEG.subarray(0, -2), Buffer.alloc(184_000 - JPEG.length, 0xff)]),
  ];
  for (const file of files) {
    const begun = performance.now();
    expect(readPicture(file)).toContain('is damaged');
    expect(performance.now() - begun).toBeLessThan(500);
  }
});

function sized(bytes: Buffer, at: number, side: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt16BE(side, at);
  changed.writeUInt16BE(side, at + 2);
  return changed;
}

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = value;
  return changed;
}
