import { dependenciesOf } from '../../api/custom-fields/dependency-queries.ts'
import { refuseWhileUsed } from '../../api/custom-fields/commands.ts'
import { fieldById, fieldsOfList, globalFields, presentField } from '../../api/custom-fields/queries.ts'
import { attributesOfType, type FieldDefinition, hasOptions } from '../../api/custom-fields/rules.ts'
import type { CustomField, CustomFieldInput } from '../../api/custom-fields/schema.ts'
import { endOfChangeLog } from '../../api/custom-fields/values-in-use.ts'
import { notFound } from '../../base/errors.ts'
import { answers } from '../answers.ts'
import type { Run } from '../run-context.ts'
import type { FieldPair } from '../subscribers/person.ts'
import type { Content } from './merge-contents.ts'
import type { RecordKind, SyncRecord } from './mirror-records.ts'
import { requireName } from './require-name.ts'
import { allPages } from './pages.ts'

interface TheirField extends SyncRecord {
  answer: CustomField
}

type Options = { id: number; name: string }[]

/**
 * The custom fields of a list without global ones, or with null the global ones.
 * @param theirListId the remote list
 */
export function customFields(
  run: Run,
  mailingListId: number | null,
  theirListId: number | null
): RecordKind<TheirField> {
  const { api, client, reader, organizationId } = run
  const path = theirListId === null ? '/custom_fields' : `/mailing_lists/${theirListId}/custom_fields`
  const scope = { organizationId, mailingListId }

  return {
    kind: 'custom_field',
    mailingListId,
    nameOf: ({ name }) => String(name),
    // Two fields with the same name and different types cannot be matched: they stay two fields, and one is
    // refused with its reason.
    keyOf: ({ name, field_type }) => `${String(name).trim().toLowerCase()} ${String(field_type)}`,

    readLocal: async () => {
      const fields = await (mailingListId === null
        ? globalFields(reader, organizationId)
        : fieldsOfList(reader, organizationId, mailingListId))
      return fields
        .filter((field) => field.mailingListId === mailingListId)
        .map((field) => ({ id: field.id, content: contentOf(presentField(field)) }))
    },

    readRemote: async () => {
      const fields = await allPages<CustomField>(api, path, answers.fields)
      return fields.filter(({ is_global }) => is_global === (theirListId === null)).map(theirField)
    },

    createRemote: async (content) => {
      const { data } = await api.post<CustomField>(path, answers.field, {
        custom_field: withOptions(content, [], [])
      })
      requireName(data, content['name'], 'the field')
      return theirField(data)
    },

    updateRemote: async ({ id, content: before, answer }, content) => {
      const { data } = await api.put<CustomField>(`${path}/${id}`, answers.field, {
        custom_field: withOptions(content, optionsIn(before), answer.options ?? [])
      })
      requireName(data, content['name'], 'the field')
    },

    removeRemote: (id) => api.delete(`${path}/${id}`),

    createLocal: async (content) => {
      const field = withOptions(content, [], []) as CustomFieldInput
      return (await client.run('customFields.create', { ...scope, field })).id
    },

    updateLocal: async (id, content) => {
      const field = await localField(id)
      const changes = withOptions(content, optionsIn(contentOf(presentField(field))), field.options)
      await client.run('customFields.update', { ...scope, id, changes: changes })
    },

    removeLocal: async (id) => {
      const unusedSince = await endOfChangeLog(reader)
      refuseWhileUsed(await dependenciesOf(reader, await localField(id), null))
      await client.run('customFields.delete', { ...scope, id, unusedSince })
    }
  }

  async function localField(id: number): Promise<FieldDefinition> {
    const field = await fieldById(reader, organizationId, id)
    if (!field) throw notFound('custom field', id)
    return field
  }
}

/** Returns the fields that a list has on both sides with the same name and type, global or not. */
export async function fieldPairs(run: Run, mailingListId: number, theirListId: number): Promise<FieldPair[]> {
  const local = await fieldsOfList(run.reader, run.organizationId, mailingListId)
  const remote = await allPages<CustomField>(
    run.api,
    `/mailing_lists/${theirListId}/custom_fields`,
    answers.fields
  )
  const byKey = new Map(remote.map((field) => [pairKey(field.name, field.field_type), field]))
  return local.flatMap((field) => {
    const theirs = byKey.get(pairKey(field.name, field.type))
    return theirs ? [{ field, theirName: theirs.name, theirId: theirs.id }] : []
  })
}

function pairKey(name: string, type: string): string {
  return `${type} ${name.trim().toLowerCase()}`
}

function theirField(answer: CustomField): TheirField {
  return { id: answer.id, content: contentOf(answer), answer }
}

/** Returns a field with its type's attributes, and the names of its options in order. */
function contentOf(field: CustomField): Content {
  const attributes = attributesOfType[field.field_type].map((name) => [name, field[name] ?? null] as const)
  const options = [...(field.options ?? [])].sort((a, b) => a.index - b.index).map(({ name }) => name)
  return {
    name: field.name,
    field_type: field.field_type,
    required: field.required,
    instructions: field.instructions || null,
    ...Object.fromEntries(attributes),
    ...(hasOptions(field.field_type) && { options })
  }
}

function optionsIn({ options }: Content): string[] {
  return (options as string[] | undefined) ?? []
}

/**
 * Returns a content with the option ids of the side that is written to. If the number of options is the same,
 * an unknown name is the new name of the option at its place, so that subscribers keep it.
 */
function withOptions(content: Content, before: string[], existing: Options): Content {
  if (content['options'] === undefined) return content
  const names = optionsIn(content)
  const idOf = new Map(existing.map(({ id, name }) => [name, id]))
  const options = names.map((name, index) => {
    const replaced = names.length === before.length ? before[index] : undefined
    const isRenamed = replaced !== undefined && !names.includes(replaced) && !before.includes(name)
    const id = idOf.get(isRenamed ? replaced : name)
    return { ...(id !== undefined && { id }), name, index }
  })
  return { ...content, options }
}
