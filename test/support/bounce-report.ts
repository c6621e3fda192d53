/** Returns the token by which reports name a message; '' of one that has none. */
export function tokenOf(message = ''): string {
  return /^X-Listwright-Message: (.*)$/m.exec(message)?.[1]?.trim() ?? ''
}

let made = 0

/** A delivery status notification (RFC 3464) about the message that a token names; each is another message. */
export function bounceReport(
  recipient: string,
  token: string,
  { status = '5.1.1', words = '550 5.1.1 User unknown' } = {}
): string {
  return [
    ...['From: MAILER-DAEMON@mx.example.net', `Message-ID: <${process.pid}-${++made}@mx.example.net>`],
    ...['Subject: Undelivered Mail', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', ''],
    ...['--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[`Final-Recipient: rfc822; ${recipient}`, 'Action: failed', `Status: ${status}`],
    ...[`Diagnostic-Code: smtp; ${words}`, '', '--b', 'Content-Type: message/rfc822', ''],
    ...[`X-Listwright-Message: ${token}`, 'Subject: News', '', '--b--', '']
  ].join('\r\n')
}

let complaints = 0

/** A complaint (RFC 5965) about a message. @param token of its header X-Listwright-Message */
export function complaintReport(address: string, token: string): string {
  return [
    ...['From: feedback@isp.example', `Message-ID: <complaint-${++complaints}@isp.example>`],
    ...['Subject: complaint', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=feedback-report; boundary="b"', ''],
    ...['--b', 'Content-Type: message/feedback-report', ''],
    ...['Feedback-Type: abuse', 'User-Agent: x', 'Version: 1', ''],
    ...['--b', 'Content-Type: message/rfc822', '', `X-Listwright-Message: ${token}`],
    ...[`To: ${address}`, 'Subject: News', '', 'Hello', '--b--', '']
  ].join('\r\n')
}
