import { createContext, use } from 'react'
import type { ApiClient } from '../api/client.ts'
import type { Session } from '../api/types.ts'
import type { Language, Say } from '../i18n/text.ts'
import type { Theme } from './settings.ts'

/** What every part of the console may use. */
export interface App {
  readonly api: ApiClient
  readonly session: Session
  readonly say: Say
  readonly language: Language
  readonly theme: Theme
  setLanguage(language: Language): void
  setTheme(theme: Theme): void
  signOut(): void
}

export const AppContext = createContext<App | null>(null)

/** The app around a component. */
export function useApp(): App {
  const app = use(AppContext)
  if (app === null) throw new Error('a part of the console was drawn outside of it')
  return app
}

/** Whether the token allows changes. */
export const mayChange = ({ role }: Session): boolean => role !== 'viewer'
