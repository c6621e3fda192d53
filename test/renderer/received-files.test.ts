import { expect, it } from 'vitest'
import { isMessageFile, messagesIn } from '../../src-renderer/model/received-files.ts'

it('a file holds one message, or those of an mbox with their lines as they were', () => {
  const mbox =
    'From a Thu Jan 1\nSubject: 1\n\n>From here\n>>From there\n\nFrom b Thu Jan 1\nSubject: 2\n\nFromage\n'

  expect(messagesIn('Subject: 1\r\n\r\nFrom here')).toEqual(['Subject: 1\r\n\r\nFrom here'])
  expect(messagesIn(mbox)).toEqual(['Subject: 1\n\nFrom here\n>From there\n', 'Subject: 2\n\nFromage\n'])
})

it('files of messages are known by their names', () => {
  expect(['a.eml', 'B.MBOX', 'c.csv', 'eml'].map(isMessageFile)).toEqual([true, true, false, false])
})
