import ui from '@nuxt/ui/vue-plugin'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import './assets/main.css'
import { i18n } from './i18n.ts'
import { router } from './router.ts'

createApp(App).use(createPinia()).use(router).use(i18n).use(ui).mount('#app')
