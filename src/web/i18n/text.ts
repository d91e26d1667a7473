import { en } from './en.ts'
import { zh } from './zh.ts'

export type Language = 'en' | 'zh'
export type MessageKey = keyof typeof en
/** Says something in the chosen language. */
export type Say = (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string

const tables: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en, zh }

/** The words of a language. */
export const sayIn =
  (language: Language): Say =>
  (key, values = {}) =>
    tables[language][key].replace(/\{(\w+)\}/g, (hole, name: string) => (name in values ? String(values[name]) : hole))

/** Whether there is a text for a name that came from the server. */
export const isMessage = (key: string): key is MessageKey => Object.hasOwn(en, key)

/** The language of the first of the browser's languages that we speak. */
export function preferredLanguage(languages: readonly string[]): Language {
  for (const language of languages) {
    if (language.startsWith('zh')) return 'zh'
    if (language.startsWith('en')) return 'en'
  }
  return 'en'
}
