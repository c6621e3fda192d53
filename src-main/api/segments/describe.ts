import type {
  CampaignCondition,
  Condition,
  FieldCondition,
  GroupCondition,
  Operand,
  ReactionCondition,
  TimeCondition
} from './conditions.ts'

/** The names of the records that conditions refer to by id. */
export interface Names {
  list: (id: number) => string
  field: (id: number) => string
  option: (id: number) => string
  campaign: (id: number) => string
  subscriberImport: (id: number) => string
}

/** docs/api.md, "Segments". */
export function describeClause(clause: readonly Condition[], names: Names): string {
  if (clause.length === 0) return 'all active subscribers'
  return clause.map((condition) => describe(condition, names)).join(' and ')
}

function describe(condition: Condition, names: Names): string {
  switch (condition.type) {
    case 'in_mailing_list':
      return `${condition.operator} mailing list "${names.list(condition.mailing_list_id)}"`
    case 'group':
      return describeGroup(condition, names)
    case 'status':
      return `status ${condition.operator} ${condition.statuses.join(', ')}`
    case 'email':
    case 'domain':
      return `${condition.type} ${condition.operator} "${condition.value}"`
    case 'custom_field':
      return `${names.field(condition.custom_field_id)} ${condition.operator}${operandOf(condition, names)}`
    case 'time':
      return `${timeNames[condition.attribute]} ${condition.operator}${operandOf(condition, names)}`
    case 'confirmed':
    case 'suppressed':
      return condition.operator === 'is true' ? `is ${condition.type}` : `is not ${condition.type}`
    case 'reaction':
      return `last open or click ${condition.operator}${operandOf(condition, names)}`
    case 'campaign':
      return describeCampaign(condition, names)
    case 'subscriber_import':
      return `${condition.operator} ${names.subscriberImport(condition.subscriber_import_id)}`
  }
}

const timeNames: Record<TimeCondition['attribute'], string> = {
  subscribe_time: 'time of subscribing',
  created_at: 'time of being added',
  updated_at: 'time of the last change'
}

function describeGroup({ match, conditions }: GroupCondition, names: Names): string {
  const texts = conditions.map((condition) => describe(condition, names))
  if (match === 'all') return `(${texts.join(' and ')})`
  return `${match === 'none' ? 'not ' : ''}(${texts.join(' or ')})`
}

function describeCampaign({ operator, campaign_id }: CampaignCondition, names: Names): string {
  return `${operator} campaign "${names.campaign(campaign_id)}"`
}

/** Returns the operand after a space; '' for operators without one. */
function operandOf(condition: FieldCondition | TimeCondition | ReactionCondition, names: Names): string {
  const { value, from, to, days, option_ids: ids }: Operand = condition
  if (days !== undefined) return ` ${days} ${days === 1 ? 'day' : 'days'}`
  if (from !== undefined && to !== undefined) return ` ${from} and ${to}`
  if (ids) return ` ${ids.map((id) => `"${names.option(id)}"`).join(', ')}`
  if (value === undefined) return ''
  return 'kind' in condition && condition.kind === 'text' ? ` "${value}"` : ` ${value}`
}
