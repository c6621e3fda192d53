/** Sources that are mutated, and the tests that are about them: they are tried first. */
export interface Target {
  sources: string[]
  tests: string[]
}

const conformance = 'test/api/conformance'

export const targets: Target[] = [
  {
    sources: ['src-main/imports', 'src-main/csv', 'src-main/api/subscriber-imports'],
    tests: [
      'test/imports',
      'test/api/subscriber-imports.test.ts',
      `${conformance}/import-autoresponders.test.ts`,
      'test/api/edges.test.ts'
    ]
  },
  {
    sources: ['src-main/integrity', 'src-main/salvage'],
    tests: ['test/salvage', 'test/integrity', 'test/torture/damage.test.ts', 'test/headless/check.test.ts']
  },
  {
    sources: ['src-main/database', 'src-main/api/subscriber-counts'],
    tests: [
      'test/database',
      'test/imports/row-order.test.ts',
      'test/imports/rows.test.ts',
      'test/imports/undo.test.ts',
      'test/imports/dry-run.test.ts',
      'test/imports/batches.test.ts',
      'test/api/pagination.test.ts',
      'test/api/subscribers.test.ts',
      'test/api/subscriber-imports.test.ts',
      'test/workbench/live.test.ts',
      'test/headless/check.test.ts',
      'test/api/edges.test.ts',
      'test/api/change-log.test.ts',
      'test/api/primary-key.test.ts',
      'test/headless/serve.test.ts',
      'test/imports/faults.test.ts',
      'test/imports/recovery.test.ts'
    ]
  },
  {
    sources: ['src-main/bulk-actions', 'src-main/api/bulk-actions'],
    tests: ['test/bulk-actions', 'test/retention.test.ts', 'test/workbench/access.test.ts']
  },
  {
    sources: ['src-main/segments', 'src-main/api/segments'],
    tests: [
      'test/segments',
      `${conformance}/segments.test.ts`,
      'test/delivery/sending.test.ts',
      'test/exports/exports.test.ts',
      'test/api/edges.test.ts'
    ]
  },
  {
    sources: [
      'src-main/delivery',
      'src-main/tracking',
      'src-main/api/campaigns',
      'src-main/api/statistics',
      'src-main/api/autoresponders/rules.ts'
    ],
    tests: [
      'test/api/campaign-rules.test.ts',
      'test/api/campaign-commands.test.ts',
      'test/delivery/frame.test.ts',
      'test/delivery/replacement.test.ts',
      'test/delivery/links.test.ts',
      'test/delivery/steps.test.ts',
      'test/delivery/delivery.test.ts',
      'test/delivery/message.test.ts',
      'test/delivery/mime.test.ts',
      'test/delivery/outbox.test.ts',
      'test/delivery/split-test.test.ts',
      'test/tracking.test.ts',
      'test/api/autoresponder-delays.test.ts',
      'test/api/glob.test.ts',
      'test/api/statistics.test.ts',
      `${conformance}/campaigns.test.ts`,
      `${conformance}/trigger-autoresponders.test.ts`,
      'test/delivery/sending.test.ts',
      'test/api/subscribers.test.ts',
      'test/api/edges.test.ts',
      'test/api/change-log.test.ts',
      `${conformance}/endpoints.test.ts`,
      'test/delivery/faults.test.ts',
      'test/delivery/recovery.test.ts'
    ]
  },
  {
    sources: [
      'src-main/http/permissions.ts',
      'src-main/api/accounts',
      'src-main/api/users',
      'src-main/workbench/session'
    ],
    tests: [
      'test/api/transport.test.ts',
      'test/workbench/access.test.ts',
      'test/workbench/session.test.ts',
      'test/workbench/api-keys.test.ts',
      'test/workbench/live.test.ts',
      'test/api/permissions.test.ts',
      `${conformance}/users.test.ts`,
      `${conformance}/organizations.test.ts`,
      'test/api/change-log.test.ts',
      `${conformance}/endpoints.test.ts`,
      'test/headless/keys.test.ts'
    ]
  },
  {
    sources: [
      'src-main/base/dates.ts',
      'src-main/base/times.ts',
      'src-main/http/validation.ts',
      'src-main/api/subscribers/rules.ts',
      'src-main/api/custom-fields/rules.ts',
      'src-main/api/mailing-lists/rules.ts',
      'src-main/api/suppression-lists/rules.ts'
    ],
    tests: [
      'test/dates.test.ts',
      'test/times.test.ts',
      'test/api/validation.test.ts',
      'test/api/custom-field-values.test.ts',
      'test/api/email-addresses.test.ts',
      'test/api/transport.test.ts',
      'test/api/subscribers.test.ts',
      'test/api/custom-fields.test.ts',
      `${conformance}/subscribers.test.ts`,
      `${conformance}/custom-fields.test.ts`,
      `${conformance}/mailing-lists.test.ts`,
      'test/api/suppression-lists.test.ts',
      'test/api/edges.test.ts',
      `${conformance}/endpoints.test.ts`
    ]
  }
]
