import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { showCutTexts } from './cut-texts.ts'
import './assets/main.css'
import { i18n, loadSentences } from './i18n.ts'
import { language } from './language.ts'
import { router } from './router.ts'
import { redeemSignInLink } from './sign-in-link.ts'

showCutTexts()
document.documentElement.lang = language
await Promise.all([loadSentences(), redeemSignInLink()])
createApp(App).use(createPinia()).use(router).use(i18n).use(ui).mount('#app')
