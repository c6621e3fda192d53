import type { Language } from '../base/languages.ts'
import { type PageLook, plainLook } from './look.ts'
import type { PublicPage } from './render.ts'

/** How long unsubscribing can be undone on its page, in milliseconds. */
export const undoWithin = 60_000

/** The field of the button that undoes an unsubscribe. */
const undoField = 'undo'

/** True for what that button posts. */
export function isUndo(body: unknown): boolean {
  return typeof body === 'string' && new URLSearchParams(body).get(undoField) === '1'
}

const texts = {
  en: {
    unsubscribe: {
      title: 'Unsubscribe',
      sentence: 'Press the button to stop getting {list}.',
      action: 'Unsubscribe'
    },
    unsubscribed: {
      title: 'You are unsubscribed',
      sentence: 'You will not get {list} any more. Was that a mistake? You can undo it for a minute.',
      action: 'Undo'
    },
    resubscribed: { title: 'You are subscribed again', sentence: 'You go on getting {list}.' },
    tooLate: {
      title: 'Too late to undo',
      sentence: 'You do not get {list} any more. To get it again, please ask its sender.'
    },
    confirm: {
      title: 'Confirm your address',
      sentence: 'Press the button to get {list}.',
      action: 'Confirm'
    },
    confirmAddress: {
      title: 'Confirm your address',
      sentence: 'Press the button to get {list} at {email}.',
      action: 'Confirm'
    },
    confirmed: { title: 'Thank you', sentence: 'Your address is confirmed: you will get {list}.' },
    there_already: { title: 'You are subscribed', sentence: 'You get {list} already.' },
    refused: {
      title: 'This did not work',
      sentence: 'Your address cannot be taken now for {list}. Please tell its sender.'
    },
    gone: { title: 'This link does not work', sentence: 'It was used, or it is too old.' },
    unknownLink: { title: 'This link does not work', sentence: 'The message that it was in is gone.' },
    notOnAList: {
      title: 'This link does not work',
      sentence: 'It does not belong to anyone on a list here.'
    },
    noMessage: { title: 'This message is no longer available', sentence: 'Its sender has removed it.' },
    noImage: { title: 'This picture is not there', sentence: 'No message here shows it.' },
    preferences: {
      title: 'What you get',
      sentence: 'Choose what comes to your address.',
      action: 'Save'
    },
    preferencesSaved: { title: 'Saved', sentence: 'Your choice takes effect from the next message on.' },
    signUp: { title: 'Subscribe to {list}', sentence: '', action: 'Subscribe' },
    signUpAsked: {
      title: 'Please look into your mailbox',
      sentence: 'A message is on its way to you. Press the button in it to get {list}.'
    },
    signedUp: { title: 'Thank you', sentence: 'You will get {list}.' },
    signUpFaulty: {
      title: 'This did not work',
      sentence: 'Please enter your address, such as name@example.com, and fill in all that is marked with *.'
    },
    busy: {
      title: 'Please try again later',
      sentence: 'There are too many requests at the moment. Your click was not recorded.'
    }
  },
  de: {
    unsubscribe: {
      title: 'Abmelden',
      sentence: 'Mit dem Knopf erhalten Sie {list} nicht mehr.',
      action: 'Abmelden'
    },
    unsubscribed: {
      title: 'Sie sind abgemeldet',
      sentence:
        'Sie erhalten {list} nicht mehr. War das ein Versehen? Eine Minute lang können Sie es rückgängig machen.',
      action: 'Rückgängig machen'
    },
    resubscribed: { title: 'Sie sind wieder angemeldet', sentence: 'Sie erhalten {list} weiterhin.' },
    tooLate: {
      title: 'Zu spät zum Rückgängigmachen',
      sentence: 'Sie erhalten {list} nicht mehr. Um es wieder zu erhalten, fragen Sie bitte den Absender.'
    },
    confirm: {
      title: 'Adresse bestätigen',
      sentence: 'Mit dem Knopf bestätigen Sie, dass Sie {list} erhalten möchten.',
      action: 'Bestätigen'
    },
    confirmAddress: {
      title: 'Adresse bestätigen',
      sentence: 'Mit dem Knopf bestätigen Sie, dass Sie {list} an {email} erhalten möchten.',
      action: 'Bestätigen'
    },
    confirmed: { title: 'Danke', sentence: 'Ihre Adresse ist bestätigt: Sie erhalten {list}.' },
    there_already: { title: 'Sie sind angemeldet', sentence: 'Sie erhalten {list} bereits.' },
    refused: {
      title: 'Das hat nicht geklappt',
      sentence:
        'Ihre Adresse kann gerade nicht für {list} aufgenommen werden. Bitte sagen Sie es dem Absender.'
    },
    gone: {
      title: 'Dieser Link funktioniert nicht',
      sentence: 'Er wurde schon benutzt oder ist zu alt.'
    },
    unknownLink: {
      title: 'Dieser Link funktioniert nicht',
      sentence: 'Die Nachricht, in der er stand, gibt es nicht mehr.'
    },
    notOnAList: {
      title: 'Dieser Link funktioniert nicht',
      sentence: 'Er gehört zu niemandem, der hier auf einer Liste steht.'
    },
    noMessage: {
      title: 'Diese Nachricht ist nicht mehr verfügbar',
      sentence: 'Der Absender hat sie entfernt.'
    },
    noImage: { title: 'Dieses Bild gibt es nicht', sentence: 'Keine Nachricht hier zeigt es.' },
    preferences: {
      title: 'Was Sie erhalten',
      sentence: 'Wählen Sie, was an Ihre Adresse kommt.',
      action: 'Speichern'
    },
    preferencesSaved: { title: 'Gespeichert', sentence: 'Ihre Wahl gilt ab der nächsten Nachricht.' },
    signUp: { title: '{list} abonnieren', sentence: '', action: 'Abonnieren' },
    signUpAsked: {
      title: 'Bitte sehen Sie in Ihr Postfach',
      sentence: 'Eine Nachricht ist zu Ihnen unterwegs. Mit dem Knopf darin erhalten Sie {list}.'
    },
    signedUp: { title: 'Danke', sentence: 'Sie erhalten {list}.' },
    signUpFaulty: {
      title: 'Das hat nicht geklappt',
      sentence:
        'Bitte geben Sie Ihre Adresse an, etwa name@example.com, und füllen Sie alles aus, was mit * gekennzeichnet ist.'
    },
    busy: {
      title: 'Bitte versuchen Sie es später noch einmal',
      sentence: 'Im Moment kommen zu viele Anfragen an. Ihr Klick wurde nicht gespeichert.'
    }
  }
} satisfies Record<Language, Record<string, { title: string; sentence: string; action?: string }>>

export type PageName = keyof (typeof texts)['en']

/**
 * Returns a page in a language.
 * @param look of a list; left out where the page names none
 * @param email the visitor's, on the page that asks to confirm it
 */
export function publicPage(
  name: PageName,
  language: Language,
  look: PageLook = plainLook,
  email = ''
): PublicPage {
  const { title, sentence, action }: { title: string; sentence: string; action?: string } =
    texts[language][name]
  const isUndo = name === 'unsubscribed'
  const fill = (text: string): string =>
    text.replace('{list}', () => namedList(language, look.list)).replace('{email}', () => email)
  return {
    title: fill(title),
    sentence: fill(sentence),
    look,
    ...(action !== undefined && {
      action: { label: action, ...(isUndo && { fields: { [undoField]: '1' }, isQuiet: true }) }
    })
  }
}

function namedList(language: Language, name: string): string {
  if (name === '') return { en: 'these messages', de: 'diese Nachrichten' }[language]
  return { en: `“${name}”`, de: `„${name}“` }[language]
}
