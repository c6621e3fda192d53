import { useToast } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { testWebhook, type Webhook } from '../api/events.ts'
import { refusalSentence } from '../api/refusal-text.ts'
import { formatDateTime, formatNumber } from '../format.ts'
import { useToastedTask } from './useTask.ts'

/** How a webhook does, as a sentence, and how it is tested. */
export function useWebhookState() {
  const { t } = useI18n()
  const toast = useToast()
  const { run } = useToastedTask()

  function stateOf(webhook: Webhook): { text: string; isFault: boolean } {
    const { has_secret, is_enabled, disabled_at, fault, error_message, delivered_at, waiting } = webhook
    const reason = fault ? refusalSentence(fault) : (error_message ?? '')
    if (disabled_at !== null) {
      return { text: t('webhooks.disabledAt', { time: formatDateTime(disabled_at), reason }), isFault: true }
    }
    if (!is_enabled) return { text: t('webhooks.off'), isFault: false }
    if (!has_secret) return { text: t('webhooks.noSecret'), isFault: true }
    if (error_message !== null) {
      const count = formatNumber(waiting)
      return { text: t('webhooks.failing', { reason, count }, waiting), isFault: true }
    }
    if (waiting > 0)
      return { text: t('webhooks.waiting', { count: formatNumber(waiting) }, waiting), isFault: false }
    if (delivered_at === null) return { text: t('webhooks.notDeliveredYet'), isFault: false }
    return { text: t('webhooks.deliveredAt', { time: formatDateTime(delivered_at) }), isFault: false }
  }

  function test(webhook: Webhook): Promise<boolean> {
    return run(async () => {
      const { is_accepted, status, milliseconds, answer } = await testWebhook(webhook.id)
      if (!is_accepted) {
        throw new Error(
          status === null
            ? t('webhooks.testUnanswered', { name: webhook.name, words: answer })
            : t('webhooks.testRefused', { name: webhook.name, status, words: answer })
        )
      }
      toast.add({
        title: t('webhooks.testWorked', { status, milliseconds: formatNumber(milliseconds) }),
        color: 'success',
        icon: 'i-lucide-circle-check'
      })
    })
  }

  return { stateOf, test }
}
