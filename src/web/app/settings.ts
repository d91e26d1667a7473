import { type Language, preferredLanguage } from '../i18n/text.ts'

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const languageKey = 'kubexm.language'
const themeKey = 'kubexm.theme'

/** The language chosen here before, else the browser's. */
export function savedLanguage(): Language {
  const saved = read(languageKey)
  return saved === 'en' || saved === 'zh' ? saved : preferredLanguage(navigator.languages)
}

/** The colours chosen here before. */
export function savedTheme(): Theme {
  const saved = read(themeKey)
  return themes.find((theme) => theme === saved) ?? 'auto'
}

/** Makes a language the page's own, and remembers it. */
export function applyLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
  write(languageKey, language)
}

/** Colours the page, and remembers how. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  write(themeKey, theme)
}

/** Storage may be forbidden; then a choice lasts as long as the page. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Forbidden: see above.
  }
}
