import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../platform/mails/mail.ts';

/** The mail as the mail library takes it. The address goes in as one, so that nothing in it can name a second recipient. */
export function letter(mail: Mail): SendMailOptions {
  return {
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    // Asks out-of-office robots not to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
