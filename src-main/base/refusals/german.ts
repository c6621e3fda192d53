import type { Sentences } from '../refusal.ts'

export const german: Sentences = {
  said: '{text}',
  and_more: 'und {count} weitere',

  // The request
  request_not_valid: 'Die Anfrage ist nicht gültig',
  body_not_object: 'Die Anfrage muss ein JSON-Objekt sein',
  body_not_json: 'Die Anfrage ist kein JSON: {fault}',
  body_too_large: 'Die Anfrage ist größer, als dieser Pfad annimmt',
  body_holds_too_much: 'Die Anfrage enthält mehr, als dieser Pfad annimmt: {fault}',
  path_too_long: 'Der Pfad der Anfrage ist zu lang',
  closing: 'Listwright wird beendet; starten Sie es wieder, und senden Sie dies noch einmal',
  changed_by_others: 'Das wurde inzwischen von anderen geändert',
  page_token: '{field} muss das next_page_token einer früheren Antwort sein',
  page_token_of_other: '{field} gehört zu einer anderen Liste oder einem anderen Segment',
  too_many_names: 'Höchstens {most} IDs oder E-Mail-Adressen lassen sich auf einmal abfragen',
  other_host: 'Anfragen müssen an 127.0.0.1:{port} gerichtet sein',
  other_web_page: 'Anfragen anderer Webseiten werden abgelehnt',

  // Who may call
  no_key: 'Ein Authorization-Header mit einem API-Schlüssel ist nötig',
  wrong_key: 'Der Authorization-Header enthält kein gültiges „<organization_id>:<api_key>“',
  permission: 'Dazu braucht es die Berechtigung {permissions}, die Benutzer {user} nicht hat',
  system_admins_only: 'Das dürfen nur Systemadministratoren',
  admins_only: 'Das dürfen nur Administratoren',
  terms_not_agreed: 'Stimmen Sie zuerst den Nutzungsbedingungen zu',
  window_signed_out: 'Dieses Fenster ist abgemeldet',
  window_of_key: 'Dieses Fenster wurde mit einem API-Schlüssel geöffnet und zeigt nur dessen Organisation',
  window_of_system_admin: 'Nur Systemadministratoren dürfen Systemadministratoren abmelden',
  key_of_system_admin: 'Nur Systemadministratoren dürfen Schlüssel von Systemadministratoren widerrufen',
  key_of_link_revoked: 'Der API-Schlüssel, der diesen Link erstellt hat, wurde widerrufen',
  keys_of_others: 'Nur wer einen Benutzer ändern darf, kann API-Schlüssel für ihn anlegen',
  link_used: 'Dieser Link wurde schon benutzt oder ist älter als 10 Minuten',
  no_session: 'Nur ein angemeldetes Fenster hat eine Sitzung',
  outlives_key:
    'outlives_key ist der Befehlszeile dieser Installation vorbehalten; andere Fenster enden mit ihrem API-Schlüssel',
  sign_in:
    'E-Mail oder Passwort ist falsch, oder der Benutzer darf sich nicht anmelden. Nach {failures} Fehlversuchen in Folge ist ein Benutzer eine Zeit lang gesperrt; ein Administrator kann ihn entsperren',
  password_wrong:
    'Das Passwort ist falsch, oder Sie sind nach {failures} Fehlversuchen in Folge eine Zeit lang gesperrt',
  too_many_passwords:
    'Es werden gerade zu viele Passwörter geprüft. Versuchen Sie es in ein paar Sekunden noch einmal',

  // Any value
  not_found: '{what} gibt es nicht oder nicht mehr',
  record_not_found: '{what} {id} gibt es nicht oder nicht mehr',
  id_unknown: '{field} {id} gibt es nicht',
  name_unknown: '{field} „{name}“ gibt es nicht',
  blank: '{field} darf nicht leer sein',
  blank_primary_key: '{field} darf nicht leer sein: Es ist der Primärschlüssel dieser Liste',
  blank_when: '{field} darf nicht leer sein, wenn {other} „{value}“ ist',
  blank_when_given: '{field} darf nicht leer sein, wenn {other} angegeben ist',
  blank_when_true: '{field} darf nicht leer sein, wenn {other} eingeschaltet ist',
  blank_in_format: '{field} darf nicht leer sein, wenn das Format {format} ist',
  both_blank: '{field} und {other} dürfen nicht beide leer sein',
  left_out: '{field} muss weggelassen werden',
  not_together: '{field} und {other} dürfen nicht zugleich angegeben werden',
  same_as: '{field} muss dasselbe sein wie {other}',
  greater_than: '{field} darf nicht größer als {other} sein',
  after: '{field} darf nicht nach {other} liegen',
  comes_before: '{field} darf nicht vor {other} liegen',
  form: '{field} hat nicht die richtige Form',
  schema: '{field} ist nicht gültig: {fault}',
  type: '{field} hat nicht den richtigen Typ; richtig wäre: {type}',
  plain_value: '{field} muss ein Text, eine Zahl, ja oder nein oder eine Liste von Texten sein',
  text: '{field} muss ein Text sein',
  text_length: '{field} muss ein Text von 1 bis {most} Zeichen sein',
  single_line: '{field} darf nur aus einer Zeile bestehen',
  minimum_length: '{field} muss mindestens {least} Zeichen lang sein',
  maximum_length: '{field} darf höchstens {most} Zeichen lang sein',
  minimum: '{field} muss mindestens {least} sein',
  maximum: '{field} darf höchstens {most} sein',
  from_to: '{field} muss zwischen {least} und {most} liegen',
  minimum_entries: '{field} braucht mindestens {least} Einträge',
  maximum_entries: '{field} darf höchstens {most} Einträge haben',
  one_of: '{field} muss eines davon sein: {values}',
  not_one_of: '{field} muss eines davon sein: {values}. „{value}“ gehört nicht dazu',
  some_of: '{field} darf nur diese Werte enthalten: {values}',
  whole_number: '{field} muss eine ganze Zahl sein',
  not_whole_number: '{field} muss eine ganze Zahl sein, und „{value}“ ist keine',
  whole_number_to: '{field} muss eine ganze Zahl von 0 bis {most} sein',
  percentage:
    '{field} muss zwischen 0 und 100 liegen, mit höchstens zwei Stellen nach dem Komma, etwa „94.85“',
  loses_zero: '{field} würde als Zahl die führende Null verlieren: „{value}“',
  loses_plus: '{field} würde als Zahl das Pluszeichen verlieren: „{value}“',
  not_boolean: '{field} muss ja (true) oder nein (false) sein, und „{value}“ ist keines von beiden',
  not_format: '{field} muss html, text oder both sein, und „{value}“ ist keines davon',
  email_address: '{field} ist keine gültige E-Mail-Adresse: „{email}“',
  email_contains: '{field} ist keine gültige E-Mail-Adresse, weil sie {blank} enthält: „{address}“',
  email_contains_character:
    '{field} ist keine gültige E-Mail-Adresse, denn sie enthält das unsichtbare Zeichen {character}: „{address}“',
  ascii_domain: 'Die Domain der E-Mail-Adresse darf nur Buchstaben von a bis z enthalten: „{email}“',
  ip_address: '{field} muss eine IP-Adresse sein, etwa 192.0.2.1',
  not_ip_address: '{field} muss eine IP-Adresse sein, und „{value}“ ist keine',
  domain: 'Die Domain muss etwa so aussehen: mail.example.com; „{domain}“ ist keine',
  local_part: 'Der Benutzername ist der Teil einer E-Mail-Adresse vor dem @; „{username}“ ist keiner',
  url: '{field} ist nicht erlaubt: {fault}',

  // Days and times
  day: '{field} muss ein Tag sein, etwa {example}',
  date: '{field} muss ein Datum sein, etwa {first}, {second} oder {third}',
  not_date: '{field} muss ein Datum sein, etwa {first}, {second} oder {third}; „{value}“ ist keines',
  day_of_year: '{field} muss ein Tag des Jahres sein, etwa {example}',
  not_day_of_year: '{field} muss ein Tag des Jahres sein, etwa {example}; „{value}“ ist keiner',
  time: '{field} muss eine Zeit nach ISO 8601 sein, etwa 2015-03-09T10:34:04-05:00, oder eine UNIX-Zeit in Sekunden',
  time_in_milliseconds:
    '{field} muss eine UNIX-Zeit in Sekunden sein; diese scheint in Milli- oder Mikrosekunden zu sein',
  in_years: '{field} muss in den Jahren {first} bis {last} liegen',
  not_in_years: '{field} muss in den Jahren 1970 bis 9999 liegen, und „{value}“ liegt nicht darin',
  time_zone:
    '{field} muss eine Zeitzone sein, wie sie die IANA nennt, etwa Europe/Zurich; „{name}“ ist keine',
  too_far_in_the_past: '{field} darf nicht mehr als 2 Stunden zurückliegen',
  begins_at_passed: 'Der Beginn liegt mehr als 2 Stunden zurück. Geben Sie einen anderen an',

  // Names, and records that need each other
  name_taken: '{field} „{name}“ ist schon vergeben',
  there_already: '{field} „{value}“ ist schon da',
  used_by: '{name} kann nicht gelöscht werden. Verwendet von: {others}',
  triggers: '{name} kann nicht gelöscht werden. Löst aus: {others}',
  asked_for_by: '{name} kann nicht gelöscht werden. Verwendet von: {others}',
  no_segment_of_list: 'Das Segment gehört nicht zu dieser Liste',
  no_campaign_of_list: 'Die auslösende Kampagne gehört nicht zu dieser Liste',
  no_field_of_list: 'Dieses eigene Feld gehört nicht zu dieser Liste',
  no_form_of_list: 'Das ist kein Anmeldeformular dieser Liste',
  no_other_autoresponder: 'Der auslösende Autoresponder gehört nicht zu dieser Liste oder ist derselbe',
  no_content_of_campaign: '{field}: {id} ist kein Inhalt dieser Kampagne',
  job_in_state: 'Das geht nicht mehr, denn {noun} ist schon beendet, angehalten oder fortgesetzt',

  // Subscribers
  taken_key:
    '{shown}: „{name}“ ist der Primärschlüssel dieser Liste, und ein anderer Abonnent der Liste hat diesen Wert schon.',
  field_unknown: '{field} ist kein eigenes Feld dieser Liste',
  subscriber_limit: 'Die Höchstzahl von {limit} Abonnenten der Organisation ist erreicht',
  deletion_disabled:
    'Abonnenten können hier nicht gelöscht werden: Das ist in den Einstellungen abgeschaltet',
  removal_disabled: 'Abonnenten können hier nicht entfernt werden: Das ist in den Einstellungen abgeschaltet',
  one_of_several: '{what} {id} ist einer von mehreren mit dieser E-Mail; nennen Sie die ID',
  not_unsubscribe_token: '{field} ist nicht das Abmelde-Token eines Abonnenten',
  subscriber_not_active:
    'Abonnent {email} ist nicht aktiv; um Autoresponder auszulösen, muss er wieder aktiv werden',
  autoresponder_not_on_list: '{field}: Der Autoresponder {autoresponder} gehört nicht zu dieser Liste',
  no_autoresponder_named: '{field}: Kein Autoresponder dieser Liste heißt „{pattern}“',
  replacement_key_blank: '{field}: Ein Schlüssel darf nicht leer sein',
  replacement_key_length: '{field}: Der Schlüssel „{key}“ darf höchstens {most} Zeichen lang sein',
  replacement_key_letters: '{field}: Der Schlüssel „{key}“ muss einen Buchstaben oder eine Ziffer enthalten',
  replacement_key_same:
    '{field}: Der Schlüssel „{key}“ muss sich von „{same}“ durch mehr als Groß-/Kleinschreibung und Leerzeichen unterscheiden',
  form_without_confirmation: 'Es muss ein Formular sein, das eine Bestätigung verlangt',
  enforces_opt_in: '{field}: Die Organisation verlangt eine bestätigte Anmeldung',
  opt_in_needs_form: '{field} darf nicht leer sein: Die Organisation verlangt eine bestätigte Anmeldung',

  // Custom fields
  custom_field_used: 'Das eigene Feld kann nicht gelöscht werden, weil folgende Datensätze es verwenden.',
  global_already: 'Das eigene Feld gilt schon für alle Listen',
  name_not_unique:
    'Der Name „{name}“ darf in der Organisation nur einmal vorkommen, und ein anderes Feld heißt schon so',
  reserved_for_imports: 'Der Name darf nicht {name} sein; den reservieren Importe für eine feste Spalte',
  unreadable_name: 'Der Name darf nicht __proto__ sein; viele Programme können ihn nicht lesen',
  options_without_select: 'Nur Auswahlfelder haben Optionen',
  options_differ: 'Optionen müssen verschieden sein; „{name}“ ist zweimal da',
  type_while_import:
    'Der Typ lässt sich nicht von {from} in {to} ändern, während ein Import läuft. Versuchen Sie es danach noch einmal',
  type_while_segment:
    'Der Typ lässt sich nicht von {from} in {to} ändern, solange das Segment „{segment}“ das Feld verwendet',
  type_while_changing:
    'Der Typ lässt sich nicht von {from} in {to} ändern, während viele Abonnenten geändert werden. Versuchen Sie es gleich noch einmal',
  type_while_used: 'Der Typ lässt sich nicht von {from} in {to} ändern, solange Abonnenten einen Wert haben',
  options_while_import:
    'Die Option „{names}“ kann nicht wegfallen, während ein Import läuft. Versuchen Sie es danach noch einmal',
  options_while_segment:
    'Die Option „{names}“ kann nicht wegfallen, solange das Segment „{segment}“ sie verwendet',
  options_while_changing:
    'Die Option „{names}“ kann nicht wegfallen, während viele Abonnenten geändert werden. Versuchen Sie es gleich noch einmal',
  options_while_used:
    'Die Option „{names}“ kann nicht wegfallen, solange Abonnenten sie haben. Geben Sie ihr einen anderen Namen',

  // Mailing lists
  key_with_several_values: '{name} kann mehrere Werte haben und kann daher kein Schlüssel sein',
  key_while_bulk_action: 'Der Primärschlüssel lässt sich nicht ändern, während die Sammelaktion {id} läuft',
  key_while_import: 'Der Primärschlüssel lässt sich nicht ändern, solange der Import {id} nicht fertig ist',
  key_while_undo:
    'Der Primärschlüssel lässt sich nicht ändern, während der Import {id} rückgängig gemacht wird',
  key_missing: 'Der Primärschlüssel lässt sich nicht ändern: Bei Abonnent {id} ist {name} leer',
  keys_shared:
    'Der Primärschlüssel lässt sich nicht ändern, weil mehrere Abonnenten in {name} denselben Wert haben: {keys}',
  keys_shared_by_many:
    'Der Primärschlüssel lässt sich nicht ändern, weil mehrere Abonnenten in {name} denselben Wert haben: {keys} und andere',
  list_changes_key: 'Die Liste wechselt gerade ihren Primärschlüssel. Versuchen Sie es danach noch einmal',
  other_confirmation_code: 'Der Code zum Löschen ist nicht der, der für diese Liste ausgegeben wurde',
  confirmation_code_expired: 'Der Code zum Löschen ist abgelaufen. Öffnen Sie den Dialog noch einmal',
  header_line:
    'Eigene Kopfzeilen: Zeile {line} muss aus Name, Doppelpunkt und Wert bestehen, etwa X-Team: Blue',
  own_header: 'Eigene Kopfzeilen: Zeile {line} darf nicht {name} sein; das hat jede Nachricht schon selbst',
  seed_list_unknown: 'Die Seed-Liste {id} gibt es nicht',
  seed_list_not_named: 'Die Seed-Liste „{name}“ gibt es nicht',

  // Remote Lists
  remote_list_has_none: 'Die Liste {id} ist eine Remote-Liste; dort gibt es keine {what}',
  only_at_creation: 'Eine Remote-Liste lässt sich nur beim Anlegen wählen',
  only_in_system_organization: 'Remote-Listen gibt es nur in der Systemorganisation',
  connection_of_local_list: 'Eine Datenbankverbindung haben nur Remote-Listen',
  remote_list_without_connection: 'Eine Remote-Liste braucht genau eine Datenbankverbindung',
  remote_sql_of_local_list: '{field} gibt es nur bei Kampagnen von Remote-Listen',
  remote_list_without_segments: 'Eine Remote-Liste hat keine Segmente, sondern eine Abfrage',

  // Segments
  too_many_conditions: '{field} hat {count} Bedingungen; erlaubt sind {most}',
  segment_without_conditions: 'Ein Segment braucht mindestens eine Bedingung',
  no_conditions: 'Eine Gruppe braucht mindestens eine Bedingung',
  group_too_deep: '{field} ist eine Gruppe in {most} anderen; das ist zu tief',
  domain_of_condition: 'Das muss eine Domain sein, etwa example.com',
  id_of: '{field} muss auf einen vorhandenen Datensatz verweisen ({what})',
  option_ids: '{field} muss auf Optionen dieses Feldes verweisen',
  only_list_conditions: '{field} muss in_mailing_list sein, die einzige Art von Bedingung, die es hier gibt',
  database_not_set_up:
    'Von der Datenbankverbindung {name} ist nur der Name bekannt. Tragen Sie unter Versand ihren Server ein',
  database_no_secret: 'Das Passwort für die Datenbank {name} fehlt. Geben Sie es unter Versand neu ein',
  database_host: 'Hier gehört Name oder Adresse eines Servers hin, ohne Schema und Pfad, nicht „{host}“',
  database_path: 'Hier gehört der vollständige Pfad einer SQLite-Datei auf diesem Computer hin',
  certificate: 'Das ist kein Zertifikat im PEM-Format: {words}',
  database_unreachable: 'Die Datenbank {name} ist nicht erreichbar: „{words}“',
  database_certificate:
    'Das Zertifikat der Datenbank {name} lässt sich nicht prüfen: „{words}“. Tragen Sie das Zertifikat seiner Zertifizierungsstelle in der Verbindung ein',
  database_refuses_connection: 'Der Server der Datenbank {name} weist die Verbindung ab: „{words}“',
  database_refuses_row: 'Die Datenbank {name} weist sie zurück: „{words}“',
  database_refuses_table: 'Die Datenbank {name} lässt Listwright nicht in die Tabelle schreiben: „{words}“',
  database_sign_in_refused: 'Die Datenbank {name} nimmt Benutzername oder Passwort nicht an: „{words}“',
  query_refused: 'Die Datenbank {name} weist die Abfrage zurück: „{words}“',
  query_refused_at:
    'Die Datenbank {name} weist die Abfrage in Zeile {line}, Spalte {column} zurück: „{words}“',
  query_writes: 'Die Datenbank {name} weist die Abfrage zurück, weil sie Daten ändern würde: „{words}“',
  query_too_slow: 'Die Datenbank {name} hat länger als {seconds} s gebraucht',
  query_without_rows: 'Die Abfrage muss Spalten liefern. Beginnen Sie sie mit SELECT oder WITH',
  query_row_too_large:
    'Zeilen der Abfrage haben zusammen mehr als {megabytes} MB. Lassen Sie große Spalten weg, oder kürzen Sie sie',
  remote_sql_missing: 'Eine Kampagne an eine Remote-Liste braucht eine Abfrage, die ihre Empfänger liefert',
  query_columns: 'Die Abfrage liefert {count} Spalten; möglich sind höchstens {most}',
  query_column_twice:
    'Die Abfrage liefert die Spalte „{column}“ zweimal. Geben Sie einer davon mit AS einen anderen Namen',
  query_without_email:
    'Die Abfrage liefert keine Spalte „email“, nur {columns}. Benennen Sie die Adresse mit AS email',
  row_without_email: 'Zeile {row} hat keine E-Mail-Adresse',
  row_email: 'Zeile {row} hat keine gültige E-Mail-Adresse: {email}',
  row_distinct_id:
    'Zeile {row} hat eine distinct_id, die weder leer noch eine Zahl von 1 bis 2147483647 ist: {id}',
  row_not_utf8: 'Zeile {row} enthält in der Spalte „{column}“ Bytes, die kein gültiges UTF-8 sind',
  row_nul: 'Zeile {row} enthält in der Spalte „{column}“ ein NUL-Byte',
  import_row_nul:
    'Zeile {row} enthält in der Spalte „{column}“ ein NUL-Byte, und das nimmt kein Import. Lassen Sie die Zeile oder das Byte in der Abfrage weg',
  row_value_too_long: 'Zeile {row} hat in der Spalte „{column}“ mehr als {most} Zeichen',
  spool_missing:
    'Die gelesenen Empfänger dieser Kampagne sind nicht mehr im Datenordner. Brechen Sie die Kampagne ab; das Protokoll sagt, wer die Nachricht hat',
  too_many_queries:
    'Höchstens {most} Abfragen können gleichzeitig laufen. Warten Sie, bis eine davon zu Ende ist',
  removal_refused:
    'Die Zeile von {email} lässt sich nicht schreiben, und spätere warten, bis die Tabelle sie annimmt: {fault}',
  list_without_database: 'Diese Liste hat Abonnenten. Eine Datenbank haben nur Remote-Listen',
  table_name: 'Hier gehört der Name einer Tabelle hin, etwa removals oder crm.removals',
  query_columns_changed:
    'Die Abfrage liefert jetzt andere Spalten als bei der Einrichtung des Imports: damals {columns}, jetzt {found}. Berichtigen Sie die Abfrage, oder richten Sie den Import neu ein',
  database_not_allowed:
    'Diese Organisation darf die Datenbank {name} nicht mehr benutzen. Ein Systemadministrator kann das unter Versand erlauben',
  database_of_deleted_list:
    'Die gelöschte Liste {list}, die sich noch einige Tage wiederherstellen lässt, braucht die Datenbank {name}',
  database_own_data: 'Das darf keine Datei im Datenordner von Listwright sein',
  remote_list_named: 'Eine Remote-Liste hat keine Abonnenten; eine Bedingung kann sie nicht verwenden',
  import_of_earlier_version:
    '{field} {id} stammt von einer früheren Version, die nicht aufzeichnete, wer hinzukam',
  sent_by_earlier_version:
    '{field} {id} wurde von einer früheren Version verschickt, die nicht aufzeichnete, an wen',
  segment_of_deleted_list:
    'Das Segment bezieht sich auf die Liste „{name}“ ({id}), die gelöscht wurde. Ändern Sie zuerst das Segment',

  // Campaigns and autoresponders
  template_of_other_list:
    'Die Vorlage {id} gehört zu einer anderen Liste; ihr Segment lässt sich nicht kopieren',
  only_one_segment_input:
    'Nur eines von segmentation_criteria_id, segmentation_criteria_ad_hoc und segmentation_criteria_remote_sql darf angegeben sein',
  only_one_seed_list_input: '{field}: Nur eines von {inputs} darf angegeben sein',
  campaign_cannot_change: 'An der Kampagne lässt sich nur noch der Name ändern',
  campaign_cannot_pause: 'Diese Kampagne lässt sich nicht anhalten',
  campaign_cannot_resume: 'Diese Kampagne lässt sich nicht fortsetzen',
  campaign_cannot_cancel: 'Diese Kampagne lässt sich nicht abbrechen',
  campaign_paused_already: 'Die Kampagne ist schon angehalten',
  campaign_not_paused: 'Die Kampagne ist nicht angehalten',
  campaign_is_sending:
    'Eine Kampagne, die gerade verschickt wird, kann nicht gelöscht werden. Brechen Sie sie zuerst ab',
  campaign_without_content: 'Die Kampagne hat keinen Inhalt',
  no_content_to_send: 'Es gibt keinen Inhalt, der verschickt werden könnte',
  other_bounce_domain: '{field}: {domain} ist nicht die Domain der Bounce-Adresse {id}',
  image_type: 'Das Bild muss eine PNG-, JPEG- oder GIF-Datei sein',
  image_empty: 'Das Bild darf nicht leer sein',
  no_gate: '{name} ist kein Gate: Es gibt keine Adresse und keinen Schlüssel zu ändern',
  gate_no_key: 'Der Schlüssel des Gates {address} fehlt. Geben Sie ihn unter Versand neu ein',
  gate_refuses_key:
    'Das Gate {address} nimmt seinen Schlüssel nicht an. Geben Sie unter Versand den ein, den es beim Start ausgegeben hat',
  gate_foreign:
    'Das Gate {address} gehört zu einer anderen Organisation oder Installation von Listwright. Starten Sie ein eigenes mit einem anderen --data-dir',
  gate_unreachable: 'Das Gate {address} ist nicht verfügbar: „{words}“',
  webhook_address:
    '{field} muss eine Webadresse sein, die mit http:// oder https:// beginnt; „{text}“ ist keine',
  webhook_address_with_password:
    '{field} darf weder Benutzernamen noch Passwort enthalten: Sie würden nicht gesendet',
  webhook_private_by_admins:
    'Nur Systemadministratoren erlauben {field} und ändern die url eines Webhooks, dem es erlaubt ist',
  webhook_secrets_most:
    'Ein Webhook hat höchstens {most} Geheimnisse. Entfernen Sie zuerst eines, das nicht mehr benutzt wird',
  webhook_last_secret: 'Dies ist das einzige Geheimnis des Webhooks: Fügen Sie zuerst ein weiteres hinzu',
  webhook_message_waiting: 'Diese Nachricht wird noch zugestellt',
  webhook_disabled: 'Der Webhook {name} ist abgeschaltet: Schalten Sie ihn zuerst ein',
  webhook_no_secret: 'Die Geheimnisse des Webhooks {name} fehlen auf diesem Computer. Fügen Sie eines hinzu',
  webhook_private:
    '{host} ist eine Adresse dieses Computers oder eines privaten Netzes; erlauben Sie sie im Webhook',
  webhook_unreachable: '{url} antwortet nicht: „{words}“',
  webhook_refused: '{url} hat mit Status {status} geantwortet',
  mailbox_no_secret: 'Das Passwort für {name} fehlt. Geben Sie es unter Rückläufer neu ein',
  maildir_path: '{field} muss der ganze Pfad eines Maildir sein, etwa /var/mail/bounces/Maildir',
  maildir_by_admins: 'Nur Systemadministratoren lesen einen Ordner dieses Computers ({field} maildir)',
  judgement_undone: 'Das ist schon rückgängig gemacht',
  maildir_missing: '{path} ist kein lesbares Maildir: Es braucht die Ordner new und cur',
  mailbox_sign_in_refused: '{name} nimmt Benutzername oder Passwort nicht an: „{words}“',
  mailbox_unreachable: '{name} lässt sich nicht lesen: „{words}“',
  message_empty: 'Die Anfrage muss eine Nachricht enthalten, wie sie empfangen wurde',
  attachment_empty: 'Der Anhang darf nicht leer sein',
  attachment_name:
    '{field} muss ein Dateiname wie „Preise.pdf“ sein, ohne Ordner, Zeilenumbrüche und Steuerzeichen',
  attachment_type:
    'Mailanbieter nehmen Dateien nicht an, die auf .{extension} enden. Legen Sie die Datei im Web ab und verschicken Sie einen Link darauf',
  attachment_name_taken: 'Es gibt schon einen Anhang {name}. Löschen Sie ihn zuerst',
  attachments_too_many: 'Eine Nachricht kann höchstens {most} Anhänge haben',
  attachments_too_large:
    'Mit {name} wären die Anhänge zusammen {size} MB groß. Eine Nachricht kann höchstens {most} MB enthalten, weil Mailserver größere nicht annehmen',

  // Users
  version_of_terms: '{field} muss die der Bedingungen sein: {version}',
  terms_not_enabled: '{field} gibt es nur, wenn Nutzungsbedingungen eingeschaltet sind',
  system_admin_elsewhere: 'Systemadministratoren kann es nur in der Systemorganisation geben',
  system_admin_by_others: 'Nur Systemadministratoren dürfen jemanden zum Systemadministrator machen',
  user_is_system_admin: 'Benutzer {id} ist Systemadministrator; ihn dürfen nur Systemadministratoren ändern',
  last_admin_deleted: '{name} ist der letzte aktive Systemadministrator und kann nicht gelöscht werden',
  last_admin_changed:
    '{name} ist der letzte aktive Systemadministrator und muss aktiv und Systemadministrator bleiben',
  permission_unknown: '{field} gibt es nicht; es gibt {known}',
  permission_takes: '{field} kennt {allowed}, und „{unknown}“ gehört nicht dazu',
  limit_by_others: 'Die Höchstzahl der Abonnenten legen nur Systemadministratoren fest',

  // Imports and exports
  mapped_twice: '{name} ist zwei Spalten zugeordnet (noch einmal in Spalte {column})',
  email_format_of_other_list: 'Das E-Mail-Format gibt es nur auf Listen, die es führen',
  confirmed_of_other_list: '„Bestätigt“ gibt es nur auf Listen, die es festhalten',
  no_custom_field_of_list: '{name} ist kein eigenes Feld dieser Liste',
  mapping_without_email: 'Eine Spalte muss der E-Mail zugeordnet sein',
  mapping_without_key: 'Eine Spalte muss {name} zugeordnet sein, dem Primärschlüssel dieser Liste',
  in_default_custom_fields: '{field}: {fault}',
  content_too_large: 'Der Inhalt darf höchstens 16 MB groß sein; größere Dateien kommen in den Upload-Ordner',
  upload_without_folders: 'Es muss der Name einer Datei im Upload-Ordner sein, ohne Ordner',
  no_upload: '{filename} ist nicht im Upload-Ordner',
  no_regular_file: '{filename} ist keine gewöhnliche Datei',
  file_changed_meanwhile:
    'Die Datei {filename} wurde geändert, während der Import unterbrochen war; er kann nicht weitergehen. Importieren Sie die geänderte Datei noch einmal',
  row_corrected_already: 'Die fehlgeschlagene Zeile {row} wurde schon korrigiert',
  no_failed_row: 'Die fehlgeschlagene Zeile {row} gibt es nicht oder nicht mehr',
  too_many_dry_runs:
    'Es laufen schon {count} Probeläufe. Warten Sie, bis einer fertig ist, oder brechen Sie einen ab',
  import_under_way: 'Der Import läuft noch',
  undo_of_running_import:
    'Ein Import, der noch läuft, lässt sich nicht rückgängig machen. Brechen Sie ihn zuerst ab',
  import_too_old: 'Ein Import lässt sich 7 Tage lang rückgängig machen, und dieser liegt länger zurück',
  import_undone_already: 'Dieser Import wurde schon rückgängig gemacht',
  import_without_changes: 'Dieser Import hat nichts geändert, was sich rückgängig machen ließe',
  no_column_of_list: '{name} ist keine Spalte dieser Liste',
  column_twice: '{name} ist zweimal gewählt',
  export_file_removed:
    'Die Datei des Exports {id} wurde nach {days} Tagen entfernt. Exportieren Sie noch einmal',
  not_suppressible: 'Das ist weder eine E-Mail-Adresse noch eine @Domain noch eine MD5-Summe: „{line}“',

  // The table of subscribers
  columns_without_email: 'Die Spalte E-Mail muss dabei sein',
  columns_twice: 'Keine Spalte darf zweimal dabei sein',
  sort_by: '{field} muss eines davon sein: {columns}, oder die ID eines eigenen Feldes mit einem Wert',

  // Bulk actions
  other_list: 'Es muss eine andere Liste sein als die, auf der sie sind',
  suppression_list_of_other_list: 'Die Sperrliste {name} gehört zu einer anderen Liste',
  no_domains: 'Geben Sie mindestens eine Domain an',
  too_many_domains: 'Geben Sie höchstens {most} Domains an',
  no_domain: '„{domain}“ ist nicht der Name einer Domain',
  domain_by_itself: '{domain} kann nicht durch sich selbst ersetzt werden',
  same_primary_key:
    '{field} ist der Primärschlüssel dieser Liste: Keine zwei Abonnenten können denselben haben',
  only_one_value: '{name} kann nur einen Wert haben; er lässt sich nur ersetzen',
  value_too_long_for_many:
    '{field} darf höchstens {most} Zeichen lang sein, wenn es bei vielen Abonnenten zugleich gesetzt werden soll',
  no_option: 'Wählen Sie mindestens eine Option',
  field_deleted: 'Das eigene Feld {name} wurde gelöscht',
  field_became_key: '{name} ist inzwischen der Primärschlüssel dieser Liste',
  field_changed: 'Das eigene Feld {name} hat sich geändert und nimmt diesen Wert nicht mehr an',
  bulk_action_too_old:
    'Eine Sammelaktion lässt sich {days} Tage lang rückgängig machen, und diese liegt länger zurück',
  undo_of_running_action:
    'Eine laufende Sammelaktion lässt sich nicht rückgängig machen. Brechen Sie sie zuerst ab',
  action_being_undone: 'Diese Sammelaktion wird schon rückgängig gemacht',
  action_undone_already: 'Diese Sammelaktion wurde schon rückgängig gemacht',
  action_without_changes:
    'Diese Sammelaktion hat keinen Abonnenten geändert; es gibt nichts rückgängig zu machen',
  action_of_deleted_list: 'Die Liste dieser Sammelaktion wurde gelöscht',

  // Undoing
  undo_of_other_origin:
    'Nur Änderungen aus der App oder mit einem API-Schlüssel lassen sich einzeln rückgängig machen',
  undo_too_old: 'Änderungen lassen sich {days} Tage lang rückgängig machen, und diese ist älter',
  undo_of_adding: 'Um das Hinzufügen eines Abonnenten rückgängig zu machen, löschen Sie ihn',
  undo_while_import:
    'Diese Änderung lässt sich nicht rückgängig machen, während ein Import läuft. Versuchen Sie es danach noch einmal',
  undo_while_segment:
    'Diese Änderung lässt sich nicht rückgängig machen, solange das Segment „{segment}“ das verwendet',
  undo_takes_values:
    'Dadurch könnten Abonnenten Werte verlieren. Ändern Sie stattdessen Typ oder Optionen des Feldes selbst',
  undo_scheduled_campaign:
    'Die Kampagne soll so verschickt werden, wie sie jetzt ist. Ändern Sie stattdessen die Kampagne selbst',
  undo_begun_campaign:
    'Der Versand der Kampagne hat begonnen; die Änderung lässt sich nicht rückgängig machen',
  undo_needs_deleted:
    'Was dabei verwendet wurde, ist inzwischen gelöscht; die Änderung lässt sich nicht rückgängig machen',
  changed_again:
    'Das wurde seither wieder geändert; diese Änderung allein lässt sich nicht rückgängig machen',
  values_changed_again:
    'Seither wieder geändert: {names}. Diese Änderung allein lässt sich nicht rückgängig machen',
  change_unknown: 'Was geändert wurde, ist nicht mehr bekannt',
  deletion_unknown: 'Was gelöscht wurde, ist nicht mehr bekannt',
  restored_already: 'Das ist schon wiederhergestellt',
  removed_for_good: 'Was darin war, wird gerade endgültig entfernt',
  messages_being_removed:
    'Die Nachrichten, die noch warteten, werden gerade entfernt. Versuchen Sie es gleich noch einmal',
  name_taken_rename: 'Ein anderer Datensatz trägt inzwischen diesen Namen. Benennen Sie ihn zuerst um',
  name_taken_delete: 'Ein anderer Datensatz trägt inzwischen diesen Namen. Löschen Sie ihn zuerst',
  no_room_for_list: 'Die Höchstzahl der Abonnenten lässt keinen Platz für die Abonnenten dieser Liste',
  no_room_for_subscriber: 'Die Höchstzahl der Abonnenten lässt keinen Platz für {email}',
  on_list_again: '{email} ist wieder auf der Liste',
  lacks_primary_key: 'Die Liste hat jetzt einen anderen Primärschlüssel, und {email} hat dafür keinen Wert',
  cannot_be_restored: '{email} lässt sich nicht wiederherstellen',
  former_key_invalid: 'Der frühere Wert des Primärschlüssels gilt nicht mehr',
  former_key_taken: 'Ein anderer Abonnent der Liste hat den Primärschlüssel, den {email} hatte',

  // Backups and damaged data
  nothing_to_recover: 'Die Daten sind nicht beschädigt: Es gibt nichts zu retten.',
  data_unusable: 'Die Daten lassen sich nicht verwenden, wie sie sind: {faults}',
  backup_in_progress: 'Eine Sicherung läuft schon',
  backup_being_exported: 'Die Sicherung wird gerade exportiert. Löschen Sie sie danach',
  backup_to_be_restored:
    'Listwright kehrt beim nächsten Start zu dieser Sicherung zurück. Wählen Sie zuerst „Beim jetzigen Stand bleiben“, um sie zu löschen',
  backup_unusable: '{name} ist nicht zu gebrauchen: {faults}',
  passphrase: '{field} muss mindestens {least} Zeichen haben',
  passphrase_header: 'Der Header X-Passphrase muss prozentkodiert sein',
  whole_path: 'Der Ordner muss ein vollständiger Pfad sein, etwa {example}',
  no_folder: 'Den Ordner {folder} gibt es nicht',
  folder_of_data: 'Der Ordner muss außerhalb des Ordners mit den Daten liegen',
  folder_not_writable: 'In den Ordner {folder} lässt sich nichts schreiben',

  // Updates
  no_update_address: 'Dieses Listwright weiß nicht, wo es nach Updates suchen soll',
  no_update: 'Von hier aus ist kein Update zu installieren',

  // Sync
  address: 'Die Adresse muss etwa so aussehen: https://api.example.com',
  address_with_password:
    'Die Adresse darf weder Namen noch Passwort enthalten: Der Schlüssel hat ein eigenes Feld',
  address_without_https: 'Die Adresse muss mit https:// beginnen, damit niemand den Schlüssel abfangen kann',
  address_with_path: 'Es darf nur die Adresse des Servers sein, etwa https://api.example.com',
  stored_key_missing:
    'Der aufbewahrte Schlüssel dieses Servers war nicht zu finden. Geben Sie ihn noch einmal ein',
  remote_needs_answer: '{name} braucht zuerst eine Antwort: {question}',
  remote_not_asking: '{name} stellt diese Frage nicht mehr',
  conflict_of_record: 'Um diesen Konflikt zu lösen, ändern Sie den Datensatz selbst',
  conflict_of_membership:
    'Um diesen Konflikt zu lösen, fügen Sie den Abonnenten hinzu oder entfernen Sie ihn',
  no_longer_on_list: 'Dieser Abonnent ist nicht mehr auf der Liste',
  list_not_mirrored: 'Das bezieht sich auf eine Liste, die nicht abgeglichen wird',
  segment_not_here: 'Das verwendet ein Segment, das nicht hier ist',
  closing_while_rekeying:
    'Listwright wird beendet; vielleicht hat sich der Primärschlüssel nicht geändert. Sehen Sie beim nächsten Start nach',

  // Disks, and what is said around another refusal
  several: '{faults}',
  line: 'Zeile {line}: {fault}',
  in_place: '{place}: {fault}',
  internal_error: 'Ein interner Fehler; im Protokoll steht er als Anfrage {id}',
  stopped_by_internal_error: '{what} ist durch einen internen Fehler stehen geblieben: {fault}',
  disk_full: 'Der Datenträger ist voll. Schaffen Sie Platz',
  data_locked: 'Ein anderes Programm sperrt die Daten, etwa ein Datenbankbrowser. Schließen Sie sie dort',
  disk_failing: 'Der Datenträger hat beim Lesen oder Schreiben versagt. Prüfen Sie ihn und sein Kabel',
  data_moved:
    'Die Daten sind nicht mehr in ihrem Ordner, der verschoben, entfernt oder ersetzt wurde. Stellen Sie ihn wieder her',
  log_moved:
    'Das Protokoll der Datenbank ist nicht mehr in seinem Ordner. Legen Sie es zurück, oder starten Sie Listwright neu',
  too_many_open_files: 'Auf diesem Computer sind zu viele Dateien geöffnet. Schließen Sie andere Programme',
  database_damaged:
    'Die Datenbank ist beschädigt, und bis das behoben ist, wird nichts gespeichert. Beheben Sie es auf der Seite „Sicherungen“',
  and_try_again: '{fault}, und versuchen Sie es noch einmal',
  then_import_again: '{fault}, und importieren Sie die Datei dann noch einmal',
  then_continue_import: '{fault}, und setzen Sie den Import dann fort',
  then_continue_campaign: '{fault}, und setzen Sie die Kampagne dann fort',
  then_export_again: 'Der Export ist stehen geblieben. {fault}, und exportieren Sie dann noch einmal',
  export_stopped: 'Der Export ist stehen geblieben: {fault}',

  // Files of contacts
  file_empty: 'Die Datei ist leer',
  file_is_empty: 'Die Datei ist leer',
  row_too_wide: 'Die Zeile hat {columns} Spalten, und der Import erwartet {expected}',
  row_enclosed: 'Die ganze Zeile steht als eine einzige Zelle in Anführungszeichen',
  not_email_address: '{field} ist keine gültige E-Mail-Adresse',
  file_too_wide: 'Die Datei hat {count} Spalten, und höchstens {most} lassen sich importieren',
  email_beyond_column:
    'Die Datei hat {count} Spalte, und die Zuordnung erwartet die E-Mail in Spalte {column}. Stimmt das Trennzeichen?',
  email_beyond_columns:
    'Die Datei hat {count} Spalten, und die Zuordnung erwartet die E-Mail in Spalte {column}. Stimmt das Trennzeichen?',
  text_after_enclosure:
    'Nach dem schließenden {enclosure} steht noch Text; ein {same} im Feld muss verdoppelt werden',
  enclosure_not_closed: 'Hier beginnt ein {enclosure}, das nirgends geschlossen wird',
  record_too_long_enclosed:
    'Der Datensatz, der hier beginnt, ist länger als {most} Zeichen. Wahrscheinlich wird ein {enclosure} nirgends geschlossen',
  record_too_long:
    'Der Datensatz, der hier beginnt, ist länger als {most} Zeichen. Die Datei scheint keine Zeilenumbrüche zu haben; wahrscheinlich ist es keine CSV-Datei',
  pdf_not_csv: 'Das ist ein PDF-Dokument und keine CSV-Datei',
  spreadsheet_not_csv:
    'Das ist eine Tabellendatei und keine CSV-Datei. Speichern Sie sie in der Tabellenkalkulation als CSV',
  broken_archive_not_csv:
    'Das ist eine Tabellendatei oder ein beschädigtes ZIP-Archiv und keine CSV-Datei. Eine Tabellendatei speichern Sie als CSV',
  spreadsheet_or_archive_not_csv:
    'Das ist eine Tabellendatei oder ein ZIP-Archiv und keine CSV-Datei. Speichern Sie die Tabelle als CSV',
  old_spreadsheet_not_csv:
    'Das ist eine alte Tabellendatei (.xls) und keine CSV-Datei. Speichern Sie sie als CSV',
  utf16_not_csv: 'Die Datei ist als UTF-16 kodiert. Speichern Sie sie als CSV in UTF-8',
  nul_byte: 'Die Datei enthält ein NUL-Byte, ist also keine CSV-Datei. Speichern Sie sie als CSV in UTF-8',
  not_utf8:
    'Die Datei ist kein gültiges UTF-8. Wählen Sie ISO-8859-1, wenn sie aus einem älteren Programm kommt, oder speichern Sie sie als UTF-8',
  unpacks_too_large:
    'Die komprimierte Datei ist entpackt größer als 20 GB; mehr lässt sich nicht importieren. Teilen Sie sie auf',
  cannot_unpack: 'Die komprimierte Datei lässt sich nicht entpacken: {fault}',
  archive_of_several: 'Das ZIP-Archiv enthält {count} Dateien; ein Import braucht genau eine',
  archive_without_contacts:
    'Das ZIP-Archiv enthält unter seinen {count} Dateien keine Kontaktdatei (.csv, .tsv, .txt, .xlsx, .ods oder .vcf)',
  archive_in_archive:
    'Das Archiv enthält ein weiteres Archiv. Entpacken Sie es, und importieren Sie die Datei darin',
  archive_lacks_file: 'Das Archiv enthält keine Datei {name}',
  archive_part_damaged: '{name} im Archiv ist beschädigt',
  archive_part_too_large: '{name} im Archiv ist entpackt größer als 8 GB. Teilen Sie die Datei auf',
  broken_archive: 'Das ist eine beschädigte Tabellendatei oder ein beschädigtes ZIP-Archiv',
  numbers_document:
    'Das ist ein Numbers-Dokument. Wählen Sie in Numbers Ablage > Exportieren > Excel, und importieren Sie die .xlsx-Datei',
  binary_workbook:
    'Das ist eine binäre Excel-Arbeitsmappe (.xlsb). Speichern Sie sie in Excel als .xlsx, und importieren Sie diese Datei',
  old_workbook:
    'Das ist eine alte Excel-Arbeitsmappe (.xls). Speichern Sie sie in Excel oder LibreOffice als .xlsx, und importieren Sie diese Datei',
  other_office_document:
    'Das ist ein Office-Dokument ohne Tabelle von Kontakten. Speichern Sie die Kontakte als .xlsx oder CSV',
  pdf_document:
    'Das ist ein PDF-Dokument, aus dem sich keine Kontakte lesen lassen. Bitten Sie um die Liste als .xlsx oder CSV',
  ldif_document:
    'Das ist ein Adressbuch in LDIF. Exportieren Sie es im Adressbuch als CSV oder vCard, und importieren Sie diese Datei',
  web_page:
    'Das ist eine Webseite oder ein XML-Dokument. Öffnen Sie es in einer Tabellenkalkulation, und speichern Sie es als .xlsx',
  spreadsheet_without_sheet: 'Die Tabellendatei hat kein Blatt',
  workbook_without_sheet: 'Die Arbeitsmappe hat kein Blatt',
  sheet_missing: 'In der Datei fehlt das Blatt {sheet}',
  spreadsheet_damaged: 'Die Tabellendatei ist beschädigt: {fault}',
  workbook_text_missing: 'Die Arbeitsmappe ist beschädigt: Es gibt keinen Text mit der Nummer {number}',
  workbook_row_missing: 'Die Arbeitsmappe ist beschädigt: Es gibt keine Zeile {row}',
  workbook_cell_missing: 'Die Arbeitsmappe ist beschädigt: Es gibt keine Zelle {cell}',
  workbook_text_too_long:
    'Die Arbeitsmappe enthält mehr als 500 Millionen Zeichen Text. Speichern Sie sie als CSV',
  header_too_far_down: 'Die Spaltennamen müssen in den ersten 500 Zeilen stehen',
  file_changed: 'Die Datei wurde während des Imports geändert. Importieren Sie sie noch einmal',
  file_changed_partly_imported:
    'Die Datei wurde während des Imports geändert. Was bis dahin importiert wurde, bleibt; importieren Sie die geänderte Datei noch einmal',
  no_readable_file: 'Die Datei {path} gibt es nicht, oder sie lässt sich nicht lesen.',
  no_importable_file: '{path} ist keine Datei, die sich importieren lässt.',
  no_local_address: '{url} ist nicht die Adresse einer Datei auf diesem Computer.',
  file_missing: 'Die Datei ist nicht mehr da. Legen Sie sie zurück und starten Sie den Import noch einmal',

  // Downloads
  private_address:
    '{host} ist eine Adresse dieses Computers oder eines privaten Netzes; Importe von dort sind in den Einstellungen nicht erlaubt',
  not_web_address:
    '„{text}“ ist nicht die Webadresse einer Datei: Sie muss mit http:// oder https:// beginnen',
  download_incomplete:
    '{url} ließ sich nicht herunterladen: Nach {minutes} Minuten war es noch nicht vollständig',
  download_failed_once: '{url} ließ sich nicht herunterladen (Versuche: 1): {fault}',
  download_failed: '{url} ließ sich nicht herunterladen (Versuche: {times}): {fault}',
  answered_status: 'Der Server antwortete mit Status {status}',
  too_many_redirects: '{url} leitet öfter als {most}-mal weiter',
  download_too_large:
    '{url} ist größer als 200 MB. Legen Sie die Datei in den Upload-Ordner; dort darf sie beliebig groß sein',

  // Sending
  remote_list_rehearsal:
    'Die Nachrichten an eine Remote-Liste lassen sich nicht proben, weil ihre Empfänger erst beim Senden gelesen werden. Probieren Sie die Abfrage auf der Seite der Liste aus',
  sending_cannot_continue: 'Der Versand lässt sich nicht fortsetzen: {fault}',
  campaign_after_restore:
    'Eine Sicherung wurde wiederhergestellt, und diese Kampagne könnte nach der Sicherung verschickt worden sein. Prüfen Sie das, bevor Sie sie fortsetzen.',

  // The place of the data, backups and archives
  cannot_write:
    'In {directory} lässt sich nicht schreiben: {fault}. Wählen Sie mit --data-dir einen anderen Ordner.',
  may_not_change_folder: 'Sie dürfen diesen Ordner nicht ändern',
  disk_read_only: 'Sein Datenträger ist schreibgeschützt',
  path_through_file: 'Ein Teil des Pfades ist eine Datei',
  file_with_this_name: 'Es gibt eine Datei dieses Namens',
  parent_folder_missing: 'Der übergeordnete Ordner fehlt oder ist schreibgeschützt',
  place_on_network:
    '{folder} liegt auf einem anderen Computer ({system}). Dateien dort können verloren gehen oder gesperrt sein, wenn das Netz ausfällt. Lassen Sie die Daten auf einem lokalen Datenträger, und nutzen Sie {folder} für Sicherungen.',
  place_copied:
    '{program} kopiert {folder}, während es sich ändert; das kann die Daten beschädigen. Lassen Sie die Daten in einem anderen Ordner, und nutzen Sie diesen für Sicherungen.',
  backup_faulty: 'Die Sicherung ist nicht zu gebrauchen: {faults}',
  cannot_be_used: '{path} ist nicht zu gebrauchen: {faults}',
  passphrase_unreadable:
    'Die Passphrase lässt sich nicht von dort lesen, wo sie aufbewahrt ist. Geben Sie sie noch einmal ein.',
  folder_silent: 'Der Ordner {folder} antwortet nicht.',
  folder_missing:
    'Der Ordner {folder} fehlt. Schließen Sie sein Laufwerk an, oder richten Sie die Kopien neu ein.',
  no_file: 'Die Datei {path} gibt es nicht.',
  file_exists: 'Die Datei {path} gibt es schon.',
  no_backup_or_damaged: '{path} ist keine Sicherung von Listwright oder ist beschädigt.',
  no_backup: '{path} ist keine Sicherung von Listwright.',
  backup_of_newer: '{path} stammt von einem neueren Listwright. Installieren Sie dessen Version.',
  backup_of_unreleased: '{path} ist älter als die erste Version von Listwright und nicht zu gebrauchen.',
  backup_of_other_version:
    '{path} stammt von einer anderen Version von Listwright. Stellen Sie sie zuerst wieder her und exportieren Sie dann.',
  encrypted_file_differs:
    'Die verschlüsselte Datei {path} lässt sich nicht so zurücklesen, wie sie geschrieben wurde.',
  no_passphrase_file: 'Die Datei ist nicht mit einer Passphrase verschlüsselt.',
  encrypted_file_changed: 'Die verschlüsselte Datei wurde geändert oder ist nicht vollständig.',
  wrong_passphrase: 'Die Passphrase ist falsch.',
  passphrase_needed: 'Die Datei ist verschlüsselt: Dafür wird die Passphrase gebraucht.',
  restore_failed: 'Die Sicherung wurde nicht wiederhergestellt: {fault}',
  no_room: '{what} braucht {needed} MB auf dem Datenträger von {directory}; frei sind {free} MB.',
  archive_not_zip: 'Die Datei ist kein Archiv von Listwright: Sie ist keine ZIP-Datei oder ist beschädigt.',
  archive_lacks_manifest: 'Die Datei ist kein Archiv von Listwright: {name} fehlt darin.',
  manifest_of_others: '{name} im Archiv stammt nicht von Listwright.',
  manifest_schema: '{name} im Archiv nennt keine gültige Version.',
  archive_of_newer: 'Das Archiv stammt von einem neueren Listwright. Installieren Sie dessen Version.',
  archive_lacks_table: '{name} fehlt im Archiv.',
  archive_line_too_long: 'Das Archiv enthält eine Zeile, die zu lang für einen Datensatz ist.',
  archive_line_no_object: 'Zeile {line} von {name} muss ein JSON-Objekt sein.',
  archive_line_property: 'Zeile {line} von {name} hat eine unbekannte Eigenschaft „{property}“.',
  archive_line_value: 'Der Wert von „{column}“ in Zeile {line} von {name} ist ungültig; erwartet: {wanted}.',
  archive_line_cannot_be_stored: 'Zeile {line} von {name} lässt sich nicht speichern: {fault}.',
  archive_changed: 'Das Archiv wurde geändert, seit es geschrieben wurde: {names}.',

  // Updates
  host_unreachable: '{host} ist nicht zu erreichen',
  host_without_version: '{host} sagt nicht, welche Version die neueste ist',

  // The history log of a campaign
  log_began: 'Der Versand über {servers} hat begonnen.',
  log_began_in_outbox: 'Das Schreiben in den Postausgang hat begonnen.',
  log_preview: 'Eine Vorschau wurde an {recipients} gesendet.',
  log_preview_in_outbox: 'Eine Vorschau für {recipients} wurde in den Postausgang geschrieben.',
  log_preview_refused: 'Eine Vorschau an {recipients} wurde nicht angenommen: {fault}',
  log_paused: 'Angehalten.',
  log_resumed: 'Fortgesetzt.',
  log_cancelled: 'Abgebrochen.',
  log_speed: 'Das Tempo wurde auf {speed} Nachrichten pro Stunde geändert.',
  log_full_speed: 'Das Tempo wurde auf unbegrenzt geändert.',
  log_slowed: '{domain} hat um weniger Nachrichten gebeten und bekommt {count} pro Minute: „{words}“',
  log_waits_for_server: 'Warten auf den Server: {fault}',
  log_waits_for_gate: 'Warten auf das Gate: {fault}',
  log_waits_for_database: 'Die Empfänger ließen sich nicht lesen; nächster Versuch in {minutes} min: {fault}',
  log_recipients_read:
    '{rows} Zeilen in {seconds} s gelesen: {recipients} Empfänger, {skipped} übersprungen.',
  log_row_skipped: 'Übersprungen: {fault}',
  log_finished_without:
    'Fertig. {count} Empfänger wurden ausgelassen: Sie sind gesperrt oder endgültig unzustellbar, oder sie haben sich abgemeldet oder beschwert.',
  log_waits_for_quota: 'Eine Grenze des Servers ist erreicht. Es geht weiter, sobald sie es erlaubt.',
  log_waits_for_retry: 'Alle anderen sind fertig; abgelehnte Nachrichten werden noch einmal versucht.',
  log_held: 'Angehalten: {fault}',
  log_failed: 'Fehlgeschlagen: {fault}',
  log_resent: '{count} ungewisse Nachrichten werden noch einmal gesendet.',
  log_finished: 'Fertig.',
  campaign_cannot_change_speed: 'Das Tempo dieser Kampagne lässt sich nicht mehr ändern',

  // Confirmation messages
  confirmation_code_missing: 'Der Text braucht {code}, den Link zum Bestätigen',
  confirmation_repeated: 'Die Bestätigungsmail an {email} wurde schon ein zweites Mal gesendet',
  confirmation_without_link:
    'Empfänger können den Link zum Bestätigen nicht öffnen. Richten Sie unter „Versand“ eine Link-Adresse ein und wählen Sie sie in den Einstellungen der Liste.',
  confirmation_without_sender: 'Die Liste hat keinen Absender. Geben Sie ihn in ihren Einstellungen an.',

  // What the domain of a sender publishes
  preflight_no_dns: 'Das DNS hat nicht geantwortet. Prüfen Sie noch einmal, wenn Sie online sind.',
  sender_of_own_domain: 'Die Domain {domain} gehört Ihnen.',
  sender_free_mail:
    'Anbieter lehnen Nachrichten von {domain} ab, die ein anderer Server sendet. Verwenden Sie einen Absender mit eigener Domain.',
  sender_free_mail_by_provider:
    'Adressen bei {domain} sind kostenlose Postfächer: Der Anbieter begrenzt, wie viel Sie senden dürfen, und Newsletter landen oft im Spam. Besser ist eine eigene Domain.',
  spf_none:
    'Die Domain {domain} hat keinen SPF-Eintrag. Legen Sie einen TXT-Eintrag wie „v=spf1 include:… ~all“ an; den genauen Text nennt der Dienst, der für Sie sendet.',
  spf_several:
    'Die Domain {domain} hat mehrere SPF-Einträge, deshalb gilt keiner. Fassen Sie sie zu einem zusammen.',
  spf_too_many_lookups:
    'Der SPF-Eintrag von {domain} braucht {count} Abfragen, Empfänger brechen nach {most} ab. Entfernen Sie, was Sie nicht mehr brauchen.',
  spf_allows_all:
    'Der SPF-Eintrag von {domain} erlaubt jedem, für sie zu senden. Beenden Sie ihn mit ~all oder -all.',
  spf_service_missing:
    'Der SPF-Eintrag von {domain} erlaubt Ihren Server nicht. Fügen Sie vor dem letzten Teil „include:{include}“ ein.',
  spf_found: 'Die Domain {domain} hat einen SPF-Eintrag.',
  dkim_by_server: 'Ihr Server signiert die Nachrichten selbst.',
  dkim_none:
    'Nachrichten von {domain} sind nicht signiert. Erzeugen Sie unter „Versand“ einen DKIM-Schlüssel.',
  dkim_record_missing:
    'Im DNS gibt es den TXT-Eintrag {name} noch nicht. Legen Sie ihn wie gezeigt an; bis er sichtbar ist, kann eine Stunde vergehen.',
  dkim_record_several: 'Im DNS gibt es mehrere TXT-Einträge {name}. Behalten Sie nur den gezeigten.',
  dkim_record_differs:
    'Der TXT-Eintrag {name} enthält einen anderen Schlüssel. Ersetzen Sie ihn durch den gezeigten.',
  dkim_record_right: 'Der Schlüssel ist als {name} veröffentlicht.',
  dmarc_none:
    'Die Domain {domain} hat keinen DMARC-Eintrag, den große Anbieter verlangen. Legen Sie den TXT-Eintrag _dmarc.{domain} mit „v=DMARC1; p=none“ an.',
  dmarc_several: 'Die Domain {domain} hat mehrere DMARC-Einträge, deshalb gilt keiner. Behalten Sie einen.',
  dmarc_unreadable:
    'Der DMARC-Eintrag von {domain} nennt keine Richtlinie. Er braucht p=none, p=quarantine oder p=reject.',
  dmarc_found: 'Die Domain {domain} hat einen DMARC-Eintrag mit der Richtlinie „{policy}“.',
  aligned_by_dkim: 'Die Signatur gehört zu {domain}, wie DMARC es verlangt.',
  aligned_by_spf: 'Die Rückadresse gehört zu {domain}, wie DMARC es verlangt.',
  aligned_by_server:
    'DMARC verlangt eine Signatur von {domain}. Lassen Sie den Dienst, der für Sie signiert, mit Ihrer Domain signieren.',
  not_aligned_without_spf:
    'Die Rückadresse gehört zu {domain}, aber weder SPF noch eine Signatur bestätigt den Server. Berichtigen Sie SPF, oder signieren Sie Ihre Nachrichten (DKIM).',
  not_aligned:
    'Weder die Signatur noch die Rückadresse gehört zu {domain}. Erzeugen Sie dafür unter „Versand“ einen DKIM-Schlüssel.',
  not_aligned_refused:
    'Weder die Signatur noch die Rückadresse gehört zu {domain}, deren DMARC-Richtlinie „{policy}“ ist: Die meisten Anbieter werden die Nachrichten ablehnen. Erzeugen Sie dafür unter „Versand“ einen DKIM-Schlüssel.',
  bounces_taken: 'Die Rückadresse bei {domain} kann Mails empfangen.',
  bounces_lost:
    'Die Domain {domain} empfängt keine Mails, Rückläufer gehen also verloren. Wählen Sie eine andere Rückadresse.',

  // Sending by SMTP
  dkim_selector:
    'Der Selektor besteht aus Buchstaben, Ziffern und Bindestrichen, etwa listwright: er wird Teil eines DNS-Namens. „{selector}“ ist keiner',
  dkim_key_unreadable:
    'Das ist kein privater RSA-Schlüssel im PEM-Format ohne Passphrase. Er beginnt mit -----BEGIN PRIVATE KEY----- oder -----BEGIN RSA PRIVATE KEY-----',
  dkim_key_not_rsa:
    'Das ist ein Schlüssel der Art {type}; die meisten Anbieter prüfen nur RSA-Signaturen. Verwenden Sie einen RSA-Schlüssel mit 2048 Bit, oder lassen Sie Listwright einen erzeugen',
  dkim_key_length: 'Der Schlüssel hat {bits} Bit; erlaubt sind {least} bis {most}, üblich sind 2048',
  dkim_key_locked:
    'Der DKIM-Schlüssel von {domain} ist gerade nicht lesbar. Der Desktop oder sein Schlüsselbund bewahrt ihn auf. Entsperren Sie ihn, oder erzeugen Sie unter „Versand“ einen neuen.',
  mail_host: 'Der Name des Mailservers muss etwa so aussehen: smtp.example.com; „{host}“ ist keiner',
  smtp_unprotected:
    'Ohne Verschlüsselung geht es nur mit einem Server auf diesem Computer: das Passwort und alle Nachrichten an {host} könnten unterwegs gelesen werden. Wählen Sie TLS oder STARTTLS',
  route_leads_to_server:
    '„{name}“ kann nicht gelöscht werden, solange diese Versandwege dorthin führen: {routes}. Wählen Sie für sie zuerst einen anderen Server',
  smtp_unreachable: '{server} ist nicht erreichbar: {words}',
  smtp_sign_in_refused:
    '{server} lehnt die Anmeldung ab: „{words}“. Prüfen Sie Benutzername und Passwort unter „Versand“.',
  smtp_no_secret: 'Das Passwort für {server} fehlt. Geben Sie es unter „Versand“ noch einmal ein.',
  smtp_secret_unreadable:
    'Das Passwort für {server} ist gerade nicht lesbar. Der Desktop oder sein Schlüsselbund bewahrt es auf. Entsperren Sie ihn, oder geben Sie das Passwort unter „Versand“ noch einmal ein.',
  smtp_not_protected:
    '{server} bietet keine verschlüsselte Verbindung: „{words}“. Wählen Sie unter „Versand“ eine andere Verschlüsselung oder einen anderen Port.',
  smtp_sender_refused:
    '{server} lehnt Nachrichten von {sender} ab: „{words}“. Verwenden Sie einen Absender, den der Server erlaubt, oder einen anderen Server.',
  smtp_recipient_refused: '{server} hat die Nachricht an {recipient} nicht angenommen: „{words}“',
  smtp_all_refused:
    '{server} hat {count} Empfänger nacheinander abgelehnt: „{words}“. Klären Sie den Grund, bevor Sie fortfahren; bei den übrigen wurde es nicht versucht.',
  route_without_server:
    'Der Versandweg „{route}“ führt zu keinem Server, der für {sender} senden darf. Wählen Sie einen unter „Versand“.',
  unsubscribe_way_missing:
    'Nachrichten an mehr als {most} Empfänger brauchen einen Weg zum Abmelden. Fügen Sie das Postfach Ihrer Rückadresse unter „Rückläufer“ hinzu, wählen Sie ein Gate als Linkadresse, oder geben Sie unter „Versand“ an, dass ein anderes System Abmeldungen entgegennimmt.',

  // Sync: what a server does
  sync_stopped: 'Der Abgleich ist stehen geblieben: {fault}',
  key_unreadable:
    'Der Schlüssel lässt sich gerade nicht lesen. Er liegt im Schlüsselbund der Desktop-Umgebung.',
  key_missing_here: 'Der aufbewahrte Schlüssel war nicht zu finden. Geben Sie ihn noch einmal ein.',
  ended_twice:
    'Die Anwendung ist während des Abgleichs mit {name} zweimal abgebrochen. Die Antworten des Servers können der Grund sein.',
  server_unreachable: '{host} ist nicht zu erreichen: {fault}',
  nothing_answers: 'Unter dieser Adresse antwortet nichts',
  no_such_server: 'Es gibt keinen Server dieses Namens, oder es besteht keine Netzwerkverbindung',
  no_network: 'Es besteht keine Netzwerkverbindung',
  connection_cut: 'Die Verbindung wurde unterbrochen',
  no_answer: 'Der Server antwortet nicht',
  answer_stopped: 'Der Server brach seine Antwort ab',
  answer_cut_off: 'Die Antwort des Servers war unvollständig',
  certificate_expired: 'Das Zertifikat des Servers ist abgelaufen',
  certificate_self_made: 'Der Server hat sein Zertifikat selbst ausgestellt',
  certificate_untrusted: 'Das Zertifikat des Servers stammt von keiner vertrauenswürdigen Stelle',
  certificate_of_other_name: 'Das Zertifikat des Servers ist auf einen anderen Namen ausgestellt',
  answered_no_text: '{host} antwortete auf {path} mit etwas anderem als Text',
  key_not_accepted: '{host} hat den Schlüssel nicht angenommen',
  key_not_accepted_because: '{host} hat den Schlüssel nicht angenommen: {fault}',
  key_without_permission: 'Der Schlüssel darf das auf {host} nicht',
  key_without_permission_because: 'Der Schlüssel darf das auf {host} nicht: {fault}',
  server_status: '{host} antwortete mit Status {status}',
  server_status_because: '{host} antwortete mit Status {status}: {fault}',
  server_redirects:
    '{host} leitet zu einer anderen Adresse weiter. Geben Sie jene an: Der Schlüssel wird nur an die Adresse gesandt, die Sie eingeben',
  call_unknown: '{host} kennt diesen Aufruf nicht',
  answer_not_of_api: '{host} gab eine Antwort, die nicht von der API stammt',
  refused_without_reason: '{host} lehnte das ohne Angabe von Gründen ab',
  answer_too_long: '{host} sandte eine Antwort von mehr als {megabytes} MB',
  answer_to_call_not_valid: '{host} beantwortete {call} mit ungültigen Daten: {fault}',
  answer_not_valid: '{host} antwortete mit ungültigen Daten: {fault}',
  data_not_valid: 'Der Server antwortete mit ungültigen Daten: {fault}',
  other_number_of_records: '{host} antwortete mit {found} Datensätzen, gibt aber {records} an',
  no_number_of_records: '{host} antwortete mit {name}, das keine Anzahl von Datensätzen ist',
  token_no_text: '{host} antwortete mit einem next_page_token, das kein Text ist',
  subscribers_out_of_order: '{host} nannte Abonnent {id} nach Abonnent {last}',
  empty_page: '{host} antwortete mit einer leeren Seite, die nicht die letzte ist',
  too_many_records: '{host} hat mehr als {most} Datensätze unter {path}',
  import_paused_there:
    'Der Import {id} wurde auf dem Server angehalten. Setzen Sie ihn dort fort, oder brechen Sie ihn ab',
  import_unfinished_there: 'Der Import {id} auf dem Server wurde nicht fertig: {fault}',
  import_stands_still_there:
    'Import {id} auf dem Server steht seit einer halben Stunde still. Sehen Sie dort nach',
  answered_with_other_data: 'Der Server antwortete auf die Anfrage nach {email} mit etwas anderem',
  answered_with_other_record:
    'Der Server antwortete auf die Anfrage nach „{name}“ mit einem anderen Datensatz',
  segment_not_there: 'Das verwendet ein Segment, das nicht auf dem Server ist',
  conditions_not_there: 'Das hat Bedingungen, die der Server nicht kennt',
  unlike_keys:
    'Die Abonnenten werden nicht abgeglichen, denn die beiden Listen haben verschiedene Primärschlüssel',

  // Sync: what a user is asked
  list_gone: 'Die Liste „{name}“ fehlt auf dem Server.',
  subscribers_gone:
    '{gone} der {count} Abonnenten von „{name}“ fehlen auf dem Server. Wurde dort eine Sicherung wiederhergestellt?',
  subscribers_changed:
    '{changed} der {count} Abonnenten von „{name}“ würden abgemeldet oder Werte verlieren, weil der Server es so angibt. Ist das gewollt?',
  fields_gone:
    '{gone} der {count} eigenen Felder fehlen auf dem Server. Wird ein Feld entfernt, gehen alle seine Werte verloren.',
  segments_gone: '{gone} der {count} Segmente fehlen auf dem Server.'
}

/** Translations of Listwright's own terms in refusals, by the English term. */
export const germanTerms: Readonly<Record<string, string>> = {
  'mailing list': 'Liste',
  campaign: 'Kampagne',
  segment: 'Segment',
  attachment: 'Anhang',
  mailbox: 'Postfach',
  'received message': 'empfangene Nachricht',
  template: 'Vorlage',
  autoresponder: 'Autoresponder',
  'custom field': 'eigenes Feld',
  user: 'Benutzer',
  organization: 'Organisation',
  subscriber: 'Abonnent',
  'subscriber import': 'Import',
  'subscriber export': 'Export',
  'bulk action': 'Sammelaktion',
  'suppression list': 'Sperrliste',
  'seed list': 'Seed-Liste',
  'SMTP server': 'SMTP-Server',
  'DKIM key': 'DKIM-Schlüssel',
  'web form': 'Formular',
  'API key': 'API-Schlüssel',
  backup: 'Sicherung',
  change: 'Änderung',
  conflict: 'Konflikt',
  'database connection': 'Datenbankverbindung',
  'repeated import': 'wiederholter Import',
  'deleted list': 'gelöschte Liste',
  'dry run': 'Probelauf',
  'URL domain': 'URL-Domain',
  'virtual MTA': 'virtueller MTA',
  'bounce email': 'Bounce-Adresse',
  window: 'Fenster',
  remote: 'Server',
  'an import': 'der Import',
  'an export': 'der Export',
  'a bulk action': 'die Sammelaktion',
  stat: 'Statistik',
  'pending subscription': 'offene Anmeldung',
  'suppressed address': 'gesperrte Adresse',
  'suppressed address import': 'Import gesperrter Adressen',
  selection: 'Auswahl',
  email: 'E-Mail',
  'deletion of subscriber': 'Löschung des Abonnenten',
  'the file of subscriber export': 'die Datei des Exports',
  'log failed of subscriber import': 'das Protokoll fehlgeschlagener Zeilen des Imports',
  mailing_list: 'Liste',
  custom_field: 'eigenes Feld',
  suppression_list: 'Sperrliste',
  seed_list: 'Seed-Liste',
  'a string': 'ein Text',
  'an integer': 'eine ganze Zahl',
  'a number': 'eine Zahl',
  'a boolean': 'ja (true) oder nein (false)',
  'an object': 'ein Objekt',
  'an array': 'eine Liste',
  'a whole number': 'eine ganze Zahl',
  'base64 data': 'Daten in Base64',
  text: 'Text',
  'a custom field of this list': 'ein eigenes Feld dieser Liste',
  'a mailing list': 'eine Liste',
  'an import of this list': 'ein Import dieser Liste',
  'a campaign': 'eine Kampagne',
  subscribers: 'Abonnenten',
  segments: 'Segmente',
  autoresponders: 'Autoresponder',
  'subscriber imports': 'Importe',
  'subscriber exports': 'Exporte',
  'web forms': 'Formulare',
  'The import': 'Der Import',
  Sending: 'Der Versand',
  'The bulk action': 'Die Sammelaktion',
  'The dry run': 'Der Probelauf',
  'The export': 'Der Export',
  'The sync': 'Der Abgleich',
  'a network share': 'Netzlaufwerk',
  'A backup': 'Eine Sicherung',
  'An archive': 'Ein Archiv',
  'The archive': 'Das Archiv',
  'The file': 'Die Datei',
  'The encrypted file': 'Die verschlüsselte Datei',
  'The decrypted file': 'Die entschlüsselte Datei',
  view: 'Ansicht',
  'import mapping': 'Zuordnung',
  web_form: 'Formular',
  virtual_mta: 'virtueller MTA',
  url_domain: 'URL-Domain',
  bounce_email: 'Bounce-Adresse',
  'a space': 'ein Leerzeichen',
  'a no-break space': 'ein geschütztes Leerzeichen',
  'a soft hyphen': 'einen weichen Trennstrich',
  'a zero-width space': 'ein Leerzeichen ohne Breite',
  'a zero-width non-joiner': 'einen breitenlosen Nichtverbinder',
  'a zero-width joiner': 'einen breitenlosen Verbinder',
  'a left-to-right mark': 'ein Links-nach-rechts-Zeichen',
  'a right-to-left mark': 'ein Rechts-nach-links-Zeichen',
  'a word joiner': 'einen Wortverbinder',
  'a byte order mark': 'eine Bytereihenfolge-Marke',
  'a tab': 'einen Tabulator',
  'a line break': 'einen Zeilenumbruch',
  'an ideographic space': 'ein ideografisches Leerzeichen'
}
