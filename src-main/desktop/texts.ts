import { app } from 'electron'
import { type Language, languageOfTag } from '../base/languages.ts'
import { explainError } from '../base/refusals/languages.ts'

const english = {
  file: 'File',
  importFile: 'Import a File…',
  newList: 'New List…',
  go: 'Go',
  home: 'Home',
  lists: 'Lists',
  campaigns: 'Campaigns',
  imports: 'Imports',
  jobs: 'Jobs',
  settings: 'Settings',
  view: 'View',
  help: 'Help',
  helpPages: 'Listwright Help',
  apiReference: 'API Reference',
  showLogs: 'Show Logs',
  copyDiagnostics: 'Copy Diagnostics',
  checkForUpdates: 'Check for Updates…',
  looksForUpdates: 'Check for Updates Daily',
  takesBetaVersions: 'Include Beta Versions',
  opensAtLogin: 'Open at Login',
  checksSpelling: 'Check Spelling',
  spellingQuestion: 'Download a dictionary?',
  spellingDetail:
    'To check spelling, Listwright downloads the dictionary for your language once from Google, the next time the window is opened. What you write never leaves this computer.',
  download: 'Download',
  about: 'About Listwright',
  openWindow: 'Open Listwright',
  quit: 'Quit',
  subscriberFiles: 'Subscriber files',
  copyLink: 'Copy Link',
  keepEditing: 'Keep editing',
  discard: 'Discard changes',
  discardQuestion: 'Discard your changes?',
  discardDetail: 'Your changes in the window have not been saved.',
  goOn: 'Continue in the Background',
  stopAndResume: 'Quit and Resume Later',
  cancel: 'Cancel',
  jobsQuestion: (jobs: number) =>
    jobs === 1 ? 'A job is still running.' : `${jobs} jobs are still running.`,
  jobsDetail:
    'In the background, work continues without the window, and Listwright quits when it is done. If you quit now, work continues where it left off the next time you start Listwright.',
  importNumber: (id: number) => `Import ${id}`,
  finished: 'Finished',
  failed: 'Failed',
  cancelled: 'Cancelled',
  upToDate: 'You have the latest version.',
  newVersion: (version: string) => `Listwright ${version} is available.`,
  see: 'See What Is New',
  later: 'Later',
  noUpdateAddress:
    'This copy of Listwright does not check for updates. They are handled by whoever installed it.',
  updateFailed: 'Could not check for updates',
  crashed: 'The window closed unexpectedly',
  crashedDetail:
    'It was reopened several times. Your data is safe. To report this, choose Help > Copy Diagnostics.',
  cannotOpen: 'This file cannot be opened',
  cannotShow: 'The window cannot be shown',
  cannotStart: 'Listwright cannot start',
  restoreBackup: 'Restore the Last Backup',
  recoverData: 'Recover What Can Be Read',
  lastBackup: (when: string) =>
    `The last backup was made on ${when}. Before it is restored, the current data is set aside.`,
  noBackup: 'There is no backup in the folder of the data.',
  recoverDetail:
    'Whatever can still be read can be recovered, which may take minutes. The damaged data is set aside.',
  recovered: (count: string) => `${count} subscribers were recovered.`,
  recoveredDetail: (file: string) =>
    `What was lost is listed in ${file}, in the folder of the backups. Listwright starts now.`,
  notClosedCleanly: 'Listwright did not shut down cleanly',
  hasToStop: 'Listwright must stop'
}

type Texts = typeof english

const german: Texts = {
  file: 'Datei',
  importFile: 'Datei importieren …',
  newList: 'Neue Liste …',
  go: 'Gehe zu',
  home: 'Startseite',
  lists: 'Listen',
  campaigns: 'Kampagnen',
  imports: 'Importe',
  jobs: 'Aufträge',
  settings: 'Einstellungen',
  view: 'Ansicht',
  help: 'Hilfe',
  helpPages: 'Hilfe zu Listwright',
  apiReference: 'API-Referenz',
  showLogs: 'Protokolle zeigen',
  copyDiagnostics: 'Diagnose kopieren',
  checkForUpdates: 'Nach Updates suchen …',
  looksForUpdates: 'Täglich nach Updates suchen',
  takesBetaVersions: 'Auch Beta-Versionen',
  opensAtLogin: 'Beim Anmelden öffnen',
  checksSpelling: 'Rechtschreibung prüfen',
  spellingQuestion: 'Wörterbuch herunterladen?',
  spellingDetail:
    'Um die Rechtschreibung zu prüfen, lädt Listwright beim nächsten Öffnen des Fensters einmal das Wörterbuch Ihrer Sprache von Google herunter. Was Sie schreiben, verlässt diesen Rechner nie.',
  download: 'Herunterladen',
  about: 'Über Listwright',
  openWindow: 'Listwright öffnen',
  quit: 'Beenden',
  subscriberFiles: 'Dateien mit Abonnenten',
  copyLink: 'Link kopieren',
  keepEditing: 'Weiter bearbeiten',
  discard: 'Änderungen verwerfen',
  discardQuestion: 'Änderungen verwerfen?',
  discardDetail: 'Was Sie im Fenster geändert haben, ist nicht gespeichert.',
  goOn: 'Im Hintergrund weitermachen',
  stopAndResume: 'Beenden und später fortsetzen',
  cancel: 'Abbrechen',
  jobsQuestion: (jobs) => (jobs === 1 ? 'Ein Auftrag läuft noch.' : `${jobs} Aufträge laufen noch.`),
  jobsDetail:
    'Im Hintergrund geht es ohne das Fenster weiter, und Listwright beendet sich danach. Wenn Sie jetzt beenden, geht es beim nächsten Start dort weiter, wo es war.',
  importNumber: (id) => `Import ${id}`,
  finished: 'Fertig',
  failed: 'Fehlgeschlagen',
  cancelled: 'Abgebrochen',
  upToDate: 'Sie haben die neueste Version.',
  newVersion: (version) => `Listwright ${version} ist verfügbar.`,
  see: 'Neuerungen ansehen',
  later: 'Später',
  noUpdateAddress: 'Dieses Listwright sucht nicht nach Updates: Darum kümmert sich, wer es installiert hat.',
  updateFailed: 'Die Suche nach Updates ist fehlgeschlagen',
  crashed: 'Das Fenster wurde unerwartet geschlossen',
  crashedDetail:
    'Es wurde mehrmals wieder geöffnet. Ihre Daten sind sicher. Mit Hilfe > Diagnose kopieren können Sie es melden.',
  cannotOpen: 'Diese Datei kann nicht geöffnet werden',
  cannotShow: 'Das Fenster kann nicht gezeigt werden',
  cannotStart: 'Listwright kann nicht starten',
  restoreBackup: 'Letzte Sicherung wiederherstellen',
  recoverData: 'Lesbares retten',
  lastBackup: (when) =>
    `Die letzte Sicherung ist vom ${when}. Bevor sie wiederhergestellt wird, werden die jetzigen Daten beiseitegelegt.`,
  noBackup: 'Im Ordner der Daten gibt es keine Sicherung.',
  recoverDetail:
    'Was noch lesbar ist, lässt sich retten; das kann Minuten dauern. Die beschädigten Daten werden beiseitegelegt.',
  recovered: (count) => `${count} Abonnenten wurden gerettet.`,
  recoveredDetail: (file) =>
    `Was verloren ist, steht in ${file} im Ordner der Sicherungen. Listwright startet jetzt.`,
  notClosedCleanly: 'Listwright wurde nicht sauber beendet',
  hasToStop: 'Listwright muss anhalten'
}

const inLanguages: Record<Language, Texts> = { en: english, de: german }

/** Returns the texts in the system's language, or in English. Call it once the application is ready. */
export function texts(): Texts {
  return inLanguages[systemLanguage()]
}

/** Words an error in the system's language, or in English. */
export function explainInSystemLanguage(error: unknown): string {
  return explainError(error, systemLanguage())
}

function systemLanguage(): Language {
  return languageOfTag(app.getLocale()) ?? 'en'
}
