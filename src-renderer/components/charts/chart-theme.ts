import { computed, type ComputedRef, onScopeDispose, ref } from 'vue'

/** Colours of charts, which are drawn outside of the page's styles. */
export interface ChartTheme {
  text: string
  line: string
  background: string
  series: string[]
}

/**
 * The options that all charts share.
 * @param write formats a value
 */
export function chartFrame({ text, line, background, series }: ChartTheme, write: (value: number) => string) {
  return {
    color: series,
    textStyle: { fontFamily: 'Inter Variable, sans-serif' },
    animation: false,
    grid: { left: 8, right: 16, top: 40, bottom: 8, containLabel: true },
    legend: { top: 0, left: 0, icon: 'circle', itemWidth: 8, itemHeight: 8, textStyle: { color: text } },
    tooltip: {
      trigger: 'axis',
      axisPointer: { type: 'shadow' },
      backgroundColor: background,
      borderColor: line,
      textStyle: { color: text },
      valueFormatter: (value: unknown) => write(Number(value))
    },
    yAxis: {
      type: 'value',
      splitLine: { lineStyle: { color: line } },
      axisLabel: { color: text, formatter: write }
    }
  }
}

const light: ChartTheme = {
  text: '#475569',
  line: '#e2e8f0',
  background: '#ffffff',
  series: ['#4f46e5', '#059669', '#d97706', '#dc2626', '#64748b']
}
const dark: ChartTheme = {
  text: '#94a3b8',
  line: '#1e293b',
  background: '#0f172a',
  series: ['#818cf8', '#34d399', '#fbbf24', '#f87171', '#94a3b8']
}

/** The colors for the theme that the window has now. */
export function useChartTheme(): ComputedRef<ChartTheme> {
  const root = document.documentElement
  const isDark = ref(root.classList.contains('dark'))
  const observer = new MutationObserver(() => (isDark.value = root.classList.contains('dark')))
  observer.observe(root, { attributeFilter: ['class'] })
  onScopeDispose(() => observer.disconnect())
  return computed(() => (isDark.value ? dark : light))
}
