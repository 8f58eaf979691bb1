import type { SendMailOptions } from 'nodemailer';
import type { Mail } from '../../platform/mails/mail.ts';

/**
 * The mail in the library's format. The address is passed as a single one, so that it cannot contain a second
 * recipient.
 */
export function toMessage(mail: Mail): SendMailOptions {
  return {
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    // Asks auto-responders not to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
