import type { FormLanguage } from './schema.ts'

/** The code that a confirmation message must contain: the link that confirms. */
export const confirmationCode = '%%confirm_link%%'

export interface ConfirmationText {
  subject: string
  html: string
  text: string
}

/** What a form sends unless it has texts of its own. */
export const confirmationTexts: Readonly<Record<FormLanguage, ConfirmationText>> = {
  en: {
    subject: 'Please confirm: %%mailing_list_name%%',
    html: `<p>Hello,</p>
<p>please confirm that you want to get “%%mailing_list_name%%” at %%subscribers_email_address%%:</p>
<p><a href="%%confirm_link%%">Confirm my address</a></p>
<p>If you did not ask for this, ignore this message: you will get no others.</p>`,
    text: `Hello,

please confirm that you want to get “%%mailing_list_name%%” at %%subscribers_email_address%%:

%%confirm_link%%

If you did not ask for this, ignore this message: you will get no others.`
  },
  de: {
    subject: 'Bitte bestätigen: %%mailing_list_name%%',
    html: `<p>Guten Tag,</p>
<p>bitte bestätigen Sie, dass Sie „%%mailing_list_name%%“ an %%subscribers_email_address%% erhalten möchten:</p>
<p><a href="%%confirm_link%%">Adresse bestätigen</a></p>
<p>Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Sie erhalten keine weiteren.</p>`,
    text: `Guten Tag,

bitte bestätigen Sie, dass Sie „%%mailing_list_name%%“ an %%subscribers_email_address%% erhalten möchten:

%%confirm_link%%

Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Sie erhalten keine weiteren.`
  }
}
