import { useMemo } from 'react';
import { qrPath } from '../../ui/qr-path.ts';

export function QrCode({ text, label, className = 'w-44' }: { text: string; label: string; className?: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className={`rounded-lg bg-white ${className}`}
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

export function downloadSvg(text: string, name: string): void {
  const { size, path } = qrPath(text);
  const drawn = `<rect width="100%" height="100%" fill="#fff"/><path d="${path}"/>`;
  const frame = `viewBox="0 0 ${size} ${size}" width="1024" height="1024" shape-rendering="crispEdges"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>${drawn}</svg>`;
  save(new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`);
}

export function downloadPng(text: string, name: string): void {
  const { size, path } = qrPath(text);
  const scale = Math.ceil(1024 / size);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size * scale;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = '#000';
  pen.scale(scale, scale);
  pen.fill(new Path2D(path));
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`));
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
