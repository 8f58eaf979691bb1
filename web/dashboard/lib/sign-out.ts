import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError, forgetUnanswered, post } from './api.ts';
import { useAct } from './state.tsx';

/** Ends this login, or every login of the account; other tabs are notified. `error` says why it goes on. */
export function useSignOut(): { signOut: (everywhere: boolean) => void; error: Error | null } {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useAct((everywhere: boolean) => post<unknown>('/dashboard/session/logout', { everywhere }), []);
  const onSuccess = () => {
    new BroadcastChannel('session').postMessage('ended');
    client.clear();
    forgetUnanswered();
    void navigate({ to: '/sign-in' });
  };
  const onError = (error: Error) => {
    if (isOver(error)) onSuccess();
  };
  return { signOut: (everywhere) => leave.mutate(everywhere, { onSuccess, onError }), error: leave.error };
}

/** The login had ended before. */
function isOver(error: Error): boolean {
  return error instanceof ApiError && error.status === 401;
}
