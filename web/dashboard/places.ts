import type { IconName } from './ui/icon.tsx';

/** Where one can go: the navigation and the command palette offer the same. */
export const PLACES = [
  { to: '/', name: 'Home', icon: 'home' },
  { to: '/payments', name: 'Payments', icon: 'payments' },
  { to: '/transfers', name: 'Unattributed', icon: 'transfers' },
  { to: '/links', name: 'Payment links', icon: 'link' },
  { to: '/wallets', name: 'Payout wallets', icon: 'wallet' },
  { to: '/webhooks', name: 'Webhooks', icon: 'webhook' },
  { to: '/keys', name: 'API keys', icon: 'key' },
  { to: '/requests', name: 'Request log', icon: 'log' },
  { to: '/settings', name: 'Settings', icon: 'settings' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[];
