/** One line of the doctor's report. A warning does not make the command fail, a failure does. */
export interface Finding {
  state: 'ok' | 'warning' | 'failed';
  subject: string;
  details: string;
}
