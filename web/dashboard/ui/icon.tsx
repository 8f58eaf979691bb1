const PATHS = {
  home: 'M3 10.5 12 3l9 7.5V20a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z',
  payments: 'M3 7h14m-4-4 4 4-4 4M21 17H7m4 4-4-4 4-4',
  customers:
    'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM3 20a6 6 0 0 1 12 0M16 5.300a3.500 3.500 0 0 1 0 6.400M18 15a6 6 0 0 1 3 5',
  transfers: 'M12 3v12m-4-4 4 4 4-4M4 19h16',
  refunds: 'M4 9h11a5 5 0 0 1 0 10H8M8 5 4 9l4 4',
  wallet: 'M4 7a2 2 0 0 1 2-2h11v3M4 7v10a2 2 0 0 0 2 2h13a1 1 0 0 0 1-1V9a1 1 0 0 0-1-1H5a1 1 0 0 1-1-1zm12 6.5h.01',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.6 1.6M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.6-1.6',
  webhook:
    'M9.5 8.5a3 3 0 1 1 4.3 2.7L17 17m-1 1.500a2.500 2.500 0 1 0 1.500-3M6 16a2.500 2.500 0 1 0 2.500 3H15M8 15l3.200-5.500',
  key: 'M15 9h.01M9.5 14.500 4 20v-3l5-5a5 5 0 1 1 3.500 3.500z',
  log: 'M5 5h14M5 10h14M5 15h9M5 20h6',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4 4',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  down: 'm6 9 6 6 6-6',
  external: 'M14 4h6v6m0-6-9 9M18 14v5H5V6h5',
  alert:
    'M12 8v5m0 3.500h.01M10.300 4.200 2.800 17.500A2 2 0 0 0 4.500 20.500h15a2 2 0 0 0 1.700-3L13.700 4.200a2 2 0 0 0-3.400 0z',
  plus: 'M12 5v14M5 12h14',
  download: 'M12 4v11m-4-4 4 4 4-4M5 20h14',
  circle: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
  book: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11',
  keyboard: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M17 11h.01M8 14h8',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the service, beside its name. */
export function Mark({ size }: { size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M10 16.500l4 4 8-9"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="3.200"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
