import type { ApiError } from '../../lib/api.ts';
import { ServiceMessage } from '../../ui/basic.tsx';

/** The service names the field of the API; here it has a label. */
export function FieldProblem({ problem, label = '' }: { problem: ApiError; label?: string | undefined }) {
  const message = problem.message.replace(/`[\w./]+`/, `“${label}”`).replaceAll('`', '');
  return <ServiceMessage code={problem.code}>{message}</ServiceMessage>;
}
