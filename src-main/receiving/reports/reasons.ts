/** Why a message was not delivered. */
export const bounceReasons = [
  'mailbox_full',
  'message_too_large',
  'mailbox_disabled',
  'moved',
  'no_mail_accepted',
  'relaying_denied',
  'virus',
  'spam',
  'authentication',
  'policy',
  'security',
  'blocked',
  'too_many',
  'expired',
  'network',
  'system',
  'sender_rejected',
  'content',
  'filtered',
  'host_unknown',
  'user_unknown',
  'syntax',
  'undefined'
] as const
export type BounceReason = (typeof bounceReasons)[number]

/** What an attempt to deliver says of the address: it will never work, it may work later, or nothing is known. */
export type BounceClass = 'hard' | 'soft' | 'other'

/** The reasons for which an address will never work. */
const hardReasons: ReadonlySet<BounceReason> = new Set(['user_unknown', 'host_unknown', 'moved'])

/** The reasons that lie with the recipient. All others lie with the message, its sender or the way, and must cost nobody a subscription. */
export const reasonsOfRecipient = [
  'mailbox_full',
  'mailbox_disabled',
  'moved',
  'no_mail_accepted',
  'expired',
  'network',
  'filtered',
  'host_unknown',
  'user_unknown'
] as const satisfies readonly BounceReason[]

export function classOfReason(reason: BounceReason): BounceClass {
  if (hardReasons.has(reason)) return 'hard'
  return reason === 'undefined' ? 'other' : 'soft'
}

/**
 * The words of large providers that always mean an unknown user, in lower case: they come before all others, which are less certain.
 */
export const certainlyUnknown: readonly RegExp[] = [
  // Microsoft refuses addresses that a company does not have.
  /5\.4\.1 .{0,200}recipient address rejected: access denied/,
  // Outlook.com.
  /requested action not taken: mailbox unavailable \(-?\d+:\d+:-?\d+\)/,
  /the email account that you tried to reach does not exist\. please try double-checking/,
  /\bdd (?:this user doesn't have a|requested mail action aborted, mailbox not found)/
]

interface ReasonPatterns {
  reason: BounceReason
  /** Tested against the words of the server in lower case, with single spaces. */
  patterns: readonly RegExp[]
}

/**
 * The words of mail servers for each reason, in the order in which they are tried: a reply may say "user unknown" and "mailbox full", and then the
 * mailbox exists.
 */
export const reasonPatterns: readonly ReasonPatterns[] = [
  {
    reason: 'mailbox_full',
    patterns: [
      /(?:mail ?(?:box|drop|folder|store)|inbox|quota|account|user|recipient|storage|disk)[^.]{0,60}(?:is |are |has been |was )?(?:full|exceeded|over ?quota|overflow|out of space|too large)\b(?!.{0,20}(?:message|size limit))/,
      /over (?:the )?(?:(?:disk|storage|mail|allowed|their|his|its) )*quota|overquota|quota (?:has been )?(?:exceed|violat|full|reached)|exceed(?:s|ed|ing|ing their)? (?:(?:the|his|her|their|its|local|allotted|maximum|allowed|mailbox|storage|disk|user|folder) )*(?:quota|storage)/,
      /mailbox (?:size )?(?:limit|quota)? ?(?:exceed|is full|full|would exceed)|mailbox exceed|exceed(?:s|ed)?[^.]{0,40}mailbox (?:size|quota|limit)|not enough (?:storage |disk )?space|insufficient (?:system )?(?:storage|disk space|quota)(?! for)|maildir (?:delivery failed|over quota)|maildir has overdrawn/,
      /in recipient'?s mailbox exceeded|user'?s mail ?folder is full|user has too (?:much|many) (?:mail|messages)|too (?:much|many) (?:mail|messages) in (?:the )?mailbox|delivery failed: over quota|user is over (?:the )?(?:quota|limit)|account is full|storage (?:full|quota)|mailfolder is full|mailbox full|boîte pleine|voll\b.*postfach|postfach.*voll\b|no space left (?:in|on) mailbox/
    ]
  },
  {
    reason: 'message_too_large',
    patterns: [
      /message (?:size|length|file)[^.]{0,30}(?:exceed|too (?:big|large))|(?:message|mail|file|data|size)[^.]{0,20}too (?:big|large|long)|exceed(?:s|ed|ing)? (?:(?:the|its|our|maximum|max|fixed|allowed|server|administrative) )*(?:message |file |inbound )?size|(?:mail|message) (?:size )?limit exceeded|size limit (?:exceeded|for)|message larger than|maximum (?:allowed )?message size/
    ]
  },
  {
    reason: 'mailbox_disabled',
    patterns: [
      /(?:user|account|mailbox|recipient) (?:<?\S+@\S+>? )?(?:is )?(?:temporary|temporarily|permanently) (?:locked|disabled|suspended|blocked|closed)/,
      /(?:account|mailbox|user|recipient|address|domain|customer|e-?mail)(?:\(s\)|'s)?(?: account)?[^.;]{0,40}(?:is |has been |was |temporarily |currently |been |administratively )+(?:currently |temporarily |permanently |administratively )?(?:disabled|suspended|inactive|deactivated|locked|blocked|frozen|expired|closed|not active|not activated)/,
      /(?:inactive|suspended|disabled|deactivated|expired|locked|not an active|no longer active) (?:account|user|mailbox|recipient|address|mail ?drop)|invalid\/inactive user|mailbox (?:unavailable or access denied|currently suspended|temporarily disabled|is frozen)|user suspended|account[^.]{0,40}(?:suspended|has been disabled|was disabled|is inactive)|sorry,? (?:your|this) (?:account|mailbox)[^.]{0,30}(?:expired|disabled)|vdelivermail: account is locked|has been locked|recipient (?:is )?suspend|not been activated|dormant/
    ]
  },
  {
    reason: 'moved',
    patterns: [
      /no longer on server|(?:user |address |recipient )?(?:has|have) moved|new (?:e-?mail )?address is|has been replaced by|please try <|address (?:has )?changed to/
    ]
  },
  {
    reason: 'no_mail_accepted',
    patterns: [
      /(?:does|do) not accept (?:any )?(?:e-?)?mail|host\/domain does not accept mail|null ?mx|no mail accepted|does not accept mail|smtp protocol returned a permanent error|domain (?:is )?not (?:accepting|configured to accept) mail|system (?:is )?not accepting (?:network )?messages/
    ]
  },
  {
    reason: 'virus',
    patterns: [
      /virus|malware|trojan|infected|\bworm\b|dangerous attachment|executable (?:attachment|content|file)|file extension not allowed/
    ]
  },
  {
    reason: 'spam',
    patterns: [
      /\bspam(?!cop|haus)|\bspams?\b|unsolicited|bulk mail|\bube\b|\buce\b|looks like (?:a )?junk|junk ?mail|considered (?:as )?(?:unsolicited|unwanted)|message content rejected|rejected due to (?:content|classification)|blacklisted url|contains? (?:a )?(?:suspicious|blocked|forbidden) (?:url|link|content)|content (?:filter|policy)|block(?:ed)? (?:for|by) (?:content|spam)|ofr_\d|\bscored?\b.{0,20}\bpoints\b|mail content denied/
    ]
  },
  {
    reason: 'authentication',
    patterns: [
      /\bdmarc\b|\bdkim\b|\bspf\b|sender policy framework|unauthenticated (?:e-?mail|mail)|authentication (?:check|checks|results)|fails? authentication|sender (?:is )?not (?:authenticated|authorized)/
    ]
  },
  {
    reason: 'blocked',
    patterns: [
      /\brbls?\b|\bdnsbl|blacklist|black list|blocklist|block list|(?:is|are|currently|been) listed (?:at|in|by|on) |spamhaus|spamcop|sorbs|barracuda(?:central)?\.?(?:org)?(?:\/| reputation)|senderbase|reputation|(?:\bip\b|\bips\b|ip address|client host|\bhost|server|connection|network)(?! \S+\[)[^.<>:]{0,50}(?:block(?:ed|list)|banned|rejected|refused|denied|not allowed|on our block)/,
      /(?:blocked|rejected|denied|banned|refused)[^.]{0,40}(?:\bip\b|client host|your (?:host|server|network|mail server|isp)|by .{0,20}policy block|connection)|part of their network is on our block ?list|reverse dns|\bptr\b|\brdns\b|cannot (?:find|resolve) your (?:hostname|address|reverse)|does not resolve|no reverse|invalid helo|bad helo|helo command rejected|dynamic(?:ally)?[ -](?:assigned )?ip|dialup|dial-up|we do not accept mail from|access denied, banned|bad dns ptr|unresolvable|messages? from \[?[\d.]+\]? (?:weren't|were not|temporarily deferred)|\(s3140\)|service (?:not available|unavailable)[^.]{0,20}(?:client host|; client)|not allowed to send|too many spams from your ip|temporarily deferred due to|suspicious|unusual rate of|421 4\.7\.0|ip not allowed/
    ]
  },
  {
    reason: 'too_many',
    patterns: [
      /too many (?:invalid )?(?:connections|concurrent|sessions|messages|recipients|emails|errors|mails|hops|simultaneous|smtp)|(?:rate|connection|sending|recipient|hourly|daily|concurrency)[ -]?(?:rate )?limit(?:ed)?(?:\b| exceed)|exceed(?:s|ed)?[^.]{0,40}(?:rate|connections|per hour|per day|number of (?:messages|connections|recipients))|throttl|try again later.{0,20}rate|slow down|mail rate|receiving mail (?:at a rate|too quickly)|sent too many/
    ]
  },
  {
    reason: 'expired',
    patterns: [
      /(?:delivery|message|retry|queue|lifetime|time)[^.]{0,30}(?:time(?:out)? (?:has )?(?:expired|exceeded)|expired\b|timed out)|(?:been|remained|was) in (?:the |my )?queue too long|retry time(?:out)? (?:not reached|exceeded)|could not (?:be )?deliver(?:ed)? (?:for|in|within) (?:the )?(?:more than )?\d+ (?:hours|days|minutes)|warning: message still undelivered|has been (?:delayed|queued) (?:for )?(?:over )?\d|not (?:been )?deliver(?:ed|able) (?:for|after|within)[^.]{0,20}\d+ (?:hours?|days?)|delivery (?:delayed|attempts? (?:has|have) been going on)|too many (?:delivery )?attempts|tempor(?:ary|arily)[^.]{0,40}(?:exceeded|expired)|exceeded maximum (?:time|retries|delivery)|message expired|deferred for too long|unable to deliver[^.]{0,30}(?:days|hours)|delivery to the following recipient has been delayed|maximum (?:queue|retry) time/
    ]
  },
  {
    reason: 'relaying_denied',
    patterns: [
      /relay(?:ing)?[^.]{0,30}(?:denied|not (?:allowed|permitted)|prohibited|access|disabled|forbidden|attempt)|(?:unable|not (?:allowed|permitted)|cannot|refus\w+|denied)[^.]{0,15} (?:to )?relay|isn't in my (?:list of allowed )?(?:rcpthosts|control)|rcpthosts|open relay|not a (?:local|gateway|relay)|mail server requires authentication|we do not relay|insecure mail relay|specified address is not local/
    ]
  },
  {
    reason: 'sender_rejected',
    patterns: [
      /sender(?:'s)?(?: e-?mail)?(?: address| domain)?(?: was| is| has been|:| verification| verify| <[^>]*>:?)?[^.;]{0,50}(?:rejected|refused|denied|failed|failure|not allowed|blocked|not exist|unknown|unverified|invalid|bogus)|(?:invalid|unknown|bad|forged|unroutable|unverifiable) sender|domain of sender|(?:mail )?from:? (?:<[^>]*>)?[^.]{0,20}(?:not allowed|rejected|denied|refused)|envelope[- ]sender|you are not allowed to post|groups\.google\.com\/support\/|not (?:a )?member|only (?:members|subscribers) (?:can|may)|not permitted to (?:post|send)|do(?:es)?n'?t have permission to (?:post|send)|no permission to post|address rejected: (?:bad|fake) |restricted to (?:members|specific)|message (?:has been )?(?:rejected|refused) by (?:the )?(?:moderator|owner|administrator)|moderator|no matches to nameserver query|your (?:e-?mail )?(?:address|domain)[^.]{0,30}(?:does not exist|not valid|rejected|blocked)|only allows? mail from|no third-party dsns|email address is not verified|from: domain is invalid|domain must resolve|\bdomain of [^ ]+ does not/
    ]
  },
  {
    reason: 'policy',
    patterns: [
      /polic(?:y|ies)\b(?!.{0,10}block)|\bprohibited\b|header (?:error|too|is)|attachment[^.]{0,30}(?:not (?:allowed|accepted)|blocked|removed)|rejected by (?:recipient|local|site|server)[^.]{0,20}(?:rule|filter|setting)|message (?:was )?(?:rejected|refused) (?:by|because|due|as)|you are not (?:authorized|allowed) to send|bad (?:header|message)|duplicate header|rule imposed|does not conform/
    ]
  },
  {
    reason: 'security',
    patterns: [
      /(?:starttls|tls|encryption|certificate)[^.]{0,30}(?:required|fail|must|error|not)|must issue a starttls|authentication (?:required|needed|failed|credentials)|(?:access|permission|delivery) (?:is )?(?:denied|not authorized)|not authori[sz]ed|unauthori[sz]ed|authori[sz]ation failed|insufficient (?:security|permission)|you are not (?:permitted|authorized)|security (?:violation|polic)/
    ]
  },
  {
    reason: 'network',
    patterns: [
      /host name lookup failure|host not found, try again|no route to host|name server: \S+ host not found/
    ]
  },
  {
    reason: 'system',
    patterns: [/can't create (?:user )?output file|mailbox unavailable \(not enough free space\)/]
  },
  {
    reason: 'host_unknown',
    patterns: [
      /domain is not reachable|domain must exist|all host address lookups failed|dns server returned answer with no data|nonexistent domain/,
      /(?:host|domain)(?: name)?[^.;<>]{0,40}(?:unknown|not found|does ?n[o']?t exist|can(?:not|'t) be found|could not be found|unreachable for|lookup fail|is invalid|isn't valid)|(?:unknown|no such|invalid|non-?existent|bad destination|unroutable|unrouteable|illegal) (?:host|domain|mail ?server)|(?:bad|unknown) (?:destination )?(?:host|mailhost)|name (?:or )?service (?:is )?not known|no (?:mx|a|such) (?:or a )?(?:record|host|dns)|nxdomain|domain name not found|name server:? .{0,40}(?:not found|host not found)|couldn't find any host|can't (?:find|resolve) (?:the )?(?:host|domain)|mail domain mentioned in email address is unknown|no route to (?:host|domain)|domain does not exist|host unknown|no such domain|501 .{0,40}domain must|unable to (?:look up|find|resolve) (?:the )?(?:host|domain|mx)|recipient'?s? domain name|address family not supported/
    ]
  },
  {
    reason: 'user_unknown',
    patterns: [
      /(?:user|recipient|mail ?box|address|account|name|mailname|alias|addressee|utente|destinataire|benutzer|empfänger)(?:\(s\))?(?: name| address| account| mailbox)?[^.;\n]{0,45}(?: is| was| has| does| do| could| can|:)?[^.;\n]{0,12}(?:unknown|not found|not (?:be )?(?:known|valid|exist|listed|recogni[sz]ed|here|there|local|a valid|a known|defined|available)|does ?n[o']?t? ?(?:exist|have)|doesn't|no longer (?:exists?|valid|available|active|in use|on server|with|here)|invalid|nonexistent|non-existent|inexistent|undeliverable|unroutable|unrouteable|undefined|cannot be found|could not be found|couldn't be found|never logged|incorrect|inconnu|unbekannt|n'existe pas|no existe|não existe|sconosciut)/,
      /(?:unknown|invalid|no such|bad|non-?existent|nonexistent|unrecogni[sz]ed|incorrect|illegal|unroutable|unrouteable|undeliverable|not a valid|no valid|not a known|not our|unavailable) (?:or (?:inactive|invalid|unknown) )?(?:local |recipient |destination |e-?mail |mail |user |virtual |final )*(?:user|recipient|recipients|mail ?box|address|addresses|account|name|person|customer|member|part|user ?id|mailname|alias|subscriber)/,
      /user unknown|unknown user|no such user|no mailbox (?:here )?(?:by that name|found|with)|there is no (?:one|user|such|account|mailbox)|no (?:account|user|mailbox|recipient)s? (?:with|by|of|found|here|has|available)|mailbox (?:not found|unavailable|does not exist|not available|unknown)|recipient (?:address )?rejected(?!: (?:access|greylist|grey|policy|domain|spf|blocked|service|temporar))|(?:email|mail) address (?:that )?(?:you (?:entered|tried)|could not|couldn't|wasn't|does not|is not|not)|address (?:rejected|error|does not exist)|not listed in (?:public |the )?(?:name|domino|address)|unknown (?:local[- ]?part|address error|extension|mailing list)|undeliverable address|user not (?:exist|known|found|local)|can't (?:find|create) (?:user|recipient)|account (?:does not exist|not found|that you tried to reach does not exist)|not a local (?:address|user)|no longer (?:employed|works|with|on server)|invalid (?:final )?delivery user|requested action not taken: mailbox (?:unavailable|not found)|mailbox name not allowed|delivery error: dd (?:this user doesn't have|requested)|doesn't have a (?:yahoo|mail)|resolver\.adr\.(?:recip|ex)|recipnotfound|recipientnotfound|(?:the )?recipient name is not recogni[sz]ed|unknown recipient|address (?:is )?unknown|is not (?:a )?(?:valid|known|existing) (?:mailbox|user|recipient|address)|was not found|directory.{0,20}(?:not|no) |no matching|doesn't exist|does not exist|gibt es nicht|existiert nicht|does not like recipient|000c05a6|\b(?:rcp-p1|int-p[134])\b|annuaire domino|ディレクトリのリスト|找不到|不存在|見つかりません/
    ]
  },
  {
    reason: 'network',
    patterns: [
      /connection (?:timed out|refused|reset|closed|lost|dropped|error|was|attempt)|(?:network|host|server) (?:is )?unreachable|no route to|(?:could not|couldn't|unable to|can't|cannot|failed to|wasn't able to) (?:connect|establish|reach|contact)|timed? ?out (?:while|waiting|during|on)|lost connection|conversation with|timeout|too many hops|hop count|(?:mail|routing|forwarding) loop|loops? back|delivery temporarily suspended|cname lookup|dns (?:server )?(?:error|failure|fail|lookup)|name server (?:timeout|failure|error)|temporary (?:dns|lookup)|host.{0,30}(?:not respond|down|no response)|establish an smtp connection|bad connection|dsn was not/
    ]
  },
  {
    reason: 'system',
    patterns: [
      /(?:local|system|configuration|internal|server|program|software|resource|mailer|disk|unexpected|resources|write|i\/o)[ -](?:configuration |server |temporarily )?(?:error|failure|problem|fail|unavailable|trouble)|requested action (?:aborted|not taken)[^.]{0,20}(?:local error|processing)|service (?:is )?(?:currently |temporarily )?(?:unavailable|not available)|temporar(?:y|ily) (?:local |system )?(?:problem|failure|error|unavailable|rejected|failed|deferred)|(?:try|please try|retry) (?:again )?later|can't (?:create|open|write|exec|fork)|cannot (?:open|create|write|exec)|out of memory|input\/output error|insufficient (?:disk|memory|resources)|no space left|aliasing|alias(?:ing)? loop|prog mailer|command (?:failed|died|exited)|exit(?:ed)? (?:status|with|code)|service configuration|greylist|gr[ae]y[ -]?list|process(?:ing)? (?:died|failed)|unspecified|died with|non-zero|x-unix/
    ]
  },
  {
    reason: 'syntax',
    patterns: [
      /syntax error|command (?:not (?:implemented|recogni[sz]ed|understood)|unrecogni[sz]ed|rejected|unknown)|unrecogni[sz]ed command|unimplemented|bad sequence|out of sequence|need (?:mail|rcpt|helo)|improper use|invalid (?:argument|command|parameter|syntax)|5(?:00|01|02|03) /
    ]
  },
  {
    reason: 'content',
    patterns: [
      /malformed|8-?bit|mime|charset|header (?:line|field)|line (?:too )?long|bare (?:lf|cr|newline)|conversion|message (?:format|contains)|improper|too many parts|body/
    ]
  }
]

/** What enhanced status codes mean (RFC 3463 and its registry), where that says more than "error". */
export const reasonsOfStatus: Readonly<Record<string, BounceReason>> = {
  '1.1': 'user_unknown',
  '1.2': 'host_unknown',
  '1.3': 'user_unknown',
  '1.4': 'filtered',
  '1.6': 'moved',
  '1.7': 'sender_rejected',
  '1.8': 'sender_rejected',
  '1.10': 'no_mail_accepted',
  '2.0': 'filtered',
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'message_too_large',
  '2.4': 'filtered',
  '3.0': 'system',
  '3.1': 'system',
  '3.2': 'system',
  '3.3': 'system',
  '3.4': 'message_too_large',
  '3.5': 'system',
  '4.0': 'network',
  '4.1': 'network',
  '4.2': 'network',
  '4.3': 'network',
  '4.4': 'host_unknown',
  '4.5': 'too_many',
  '4.6': 'network',
  '4.7': 'expired',
  '5.0': 'syntax',
  '5.1': 'syntax',
  '5.2': 'syntax',
  '5.3': 'too_many',
  '5.4': 'syntax',
  '5.5': 'syntax',
  '6.0': 'content',
  '6.1': 'content',
  '6.2': 'content',
  '6.3': 'content',
  '6.6': 'content',
  '6.9': 'content',
  '7.0': 'security',
  '7.1': 'security',
  '7.2': 'security',
  '7.3': 'security',
  '7.8': 'security',
  '7.9': 'security',
  '7.13': 'mailbox_disabled',
  '7.20': 'authentication',
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'blocked',
  '7.26': 'authentication',
  '7.27': 'sender_rejected',
  '7.28': 'too_many'
}
