import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { forgetUnanswered, post } from './api.ts';
import { useAct } from './state.tsx';

/** Ends this login, or every login of the account; other tabs are notified. */
export function useSignOut(): (everywhere: boolean) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useAct((everywhere: boolean) => post<unknown>('/dashboard/session/logout', { everywhere }), []);
  return (everywhere) =>
    leave.mutate(everywhere, {
      onSettled: () => {
        new BroadcastChannel('session').postMessage('ended');
        client.clear();
        forgetUnanswered();
        void navigate({ to: '/sign-in' });
      },
    });
}
