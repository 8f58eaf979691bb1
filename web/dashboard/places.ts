import type { IconName } from './ui/icon.tsx';

/** The destinations of the navigation, the command palette and the keys after `g`. */
export const PLACES = [
  { to: '/', key: 'h', name: 'Home', icon: 'home' },
  { to: '/payments', key: 'p', name: 'Payments', icon: 'payments' },
  { to: '/customers', key: 'c', name: 'Customers', icon: 'customers' },
  { to: '/transfers', key: 'u', name: 'Transfers', icon: 'transfers' },
  { to: '/refunds', key: 'b', name: 'Refunds', icon: 'refunds' },
  { to: '/links', key: 'l', name: 'Payment links', icon: 'link' },
  { to: '/wallets', key: 'w', name: 'Payout wallets', icon: 'wallet' },
  { to: '/webhooks', key: 'e', name: 'Webhooks', icon: 'webhook' },
  { to: '/keys', key: 'k', name: 'API keys', icon: 'key' },
  { to: '/requests', key: 'r', name: 'Request log', icon: 'log' },
  { to: '/settings', key: 's', name: 'Settings', icon: 'settings' },
] as const satisfies readonly { to: string; key: string; name: string; icon: IconName }[];
