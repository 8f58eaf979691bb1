import type { ReactNode } from 'react';
import { ApiError } from '../lib/api.ts';
import { ServiceMessage } from './basic.tsx';

interface FieldProblems {
  /** The service's message about this field. */
  errorOf: (param: string) => ReactNode;
  /** The error that no field shows. */
  otherError: unknown;
}

/**
 * Shows a refusal once: at the field that it names, or else beside the form. `labels` are those of the form's fields, by
 * the parameter that they send, `codes` the errors that are about one field without naming it, and `own` what the form
 * says of a field instead of the service.
 */
export function fieldProblems(
  error: unknown,
  labels: Record<string, string>,
  codes: { [code in ApiError['code']]?: string } = {},
  own: { [param: string]: string | false } = {},
): FieldProblems {
  const problem = error instanceof ApiError && isAboutAValue(error) ? error : null;
  const named = problem && (problem.param ?? codes[problem.code]);
  // `frame_parents[0]` belongs to the field of `frame_parents`.
  const field = Object.keys(labels).find((param) => named?.split('[')[0] === param);
  if (!problem || field === undefined) return { errorOf: () => null, otherError: error };
  const key = problem.requestId ?? problem.message;
  return {
    errorOf: (param) => {
      if (param !== field) return null;
      if (own[field]) return <p key={key}>{own[field]}</p>;
      return (
        <ServiceMessage key={key} code={problem.code} label={codes[problem.code] === field ? '' : labels[field]}>
          {inTheWordsOf(labels, field, problem.message)}
        </ServiceMessage>
      );
    },
    otherError: null,
  };
}

/** Not a server that is busy or unavailable, which may name a field as well. */
function isAboutAValue({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** The service's sentences begin with the parameter that they are about, and may name others; here they have labels. */
function inTheWordsOf(labels: Record<string, string>, field: string, message: string): string {
  return message.replace(/`([^`]+)`/g, (_, name: string, at: number) => {
    const label = labels[at === 0 ? field : name];
    return label === undefined ? name : `“${label}”`;
  });
}
