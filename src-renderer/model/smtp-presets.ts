import type { SmtpSecurity } from '../../src-main/api/smtp-servers/schema.ts'

/** What a mail service publishes about its SMTP server. */
export interface SmtpPreset {
  /** The service, by its own name. */
  name: string
  host: string
  port: number
  security: SmtpSecurity
  /** The user name, where it is the same for everyone. */
  username?: string
  /** Limits that the service publishes; others depend on the account. */
  messages_per_minute?: number
  messages_per_day?: number
}

/** By name. */
export const smtpPresets: readonly SmtpPreset[] = [
  {
    name: 'Amazon SES (Frankfurt)',
    host: 'email-smtp.eu-central-1.amazonaws.com',
    port: 587,
    security: 'starttls'
  },
  {
    name: 'Amazon SES (Virginia)',
    host: 'email-smtp.us-east-1.amazonaws.com',
    port: 587,
    security: 'starttls'
  },
  { name: 'Brevo', host: 'smtp-relay.brevo.com', port: 587, security: 'starttls' },
  { name: 'Elastic Email', host: 'smtp.elasticemail.com', port: 2525, security: 'starttls' },
  { name: 'Fastmail', host: 'smtp.fastmail.com', port: 465, security: 'tls' },
  { name: 'Gmail', host: 'smtp.gmail.com', port: 465, security: 'tls', messages_per_day: 500 },
  { name: 'GMX', host: 'mail.gmx.net', port: 587, security: 'starttls' },
  { name: 'Google Workspace', host: 'smtp.gmail.com', port: 465, security: 'tls', messages_per_day: 2000 },
  { name: 'iCloud', host: 'smtp.mail.me.com', port: 587, security: 'starttls', messages_per_day: 1000 },
  { name: 'Infomaniak', host: 'mail.infomaniak.com', port: 465, security: 'tls' },
  { name: 'IONOS', host: 'smtp.ionos.com', port: 465, security: 'tls' },
  { name: 'Mailchimp Transactional', host: 'smtp.mandrillapp.com', port: 587, security: 'starttls' },
  { name: 'MailerSend', host: 'smtp.mailersend.net', port: 587, security: 'starttls' },
  { name: 'Mailgun', host: 'smtp.mailgun.org', port: 587, security: 'starttls' },
  { name: 'Mailgun (EU)', host: 'smtp.eu.mailgun.org', port: 587, security: 'starttls' },
  { name: 'Mailjet', host: 'in-v3.mailjet.com', port: 587, security: 'starttls' },
  {
    name: 'Microsoft 365',
    host: 'smtp.office365.com',
    port: 587,
    security: 'starttls',
    messages_per_minute: 30,
    messages_per_day: 10_000
  },
  { name: 'OVHcloud', host: 'ssl0.ovh.net', port: 465, security: 'tls' },
  { name: 'Postmark (broadcasts)', host: 'smtp-broadcasts.postmarkapp.com', port: 587, security: 'starttls' },
  { name: 'Resend', host: 'smtp.resend.com', port: 465, security: 'tls', username: 'resend' },
  { name: 'SendGrid', host: 'smtp.sendgrid.net', port: 587, security: 'starttls', username: 'apikey' },
  { name: 'SMTP2GO', host: 'mail.smtp2go.com', port: 587, security: 'starttls' },
  {
    name: 'SparkPost',
    host: 'smtp.sparkpostmail.com',
    port: 587,
    security: 'starttls',
    username: 'SMTP_Injection'
  },
  { name: 'STRATO', host: 'smtp.strato.de', port: 465, security: 'tls' },
  { name: 'T-Online', host: 'securesmtp.t-online.de', port: 465, security: 'tls' },
  { name: 'WEB.DE', host: 'smtp.web.de', port: 587, security: 'starttls' },
  { name: 'Yahoo', host: 'smtp.mail.yahoo.com', port: 465, security: 'tls', messages_per_day: 500 },
  { name: 'Zoho Mail (EU)', host: 'smtp.zoho.eu', port: 465, security: 'tls' }
]
