import { useMemo } from 'preact/hooks';
import { qrPath } from '../ui/qr-path.ts';

/** A QR code as one SVG path, dark on light in every theme, with its quiet zone. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => qrPath(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
