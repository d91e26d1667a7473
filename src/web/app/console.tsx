import { useCallback, useEffect, useMemo, useState } from 'react'
import { type ApiClient, ApiError } from '../api/client.ts'
import type { Session } from '../api/types.ts'
import { type Language, sayIn } from '../i18n/text.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { type App, AppContext } from './context.ts'
import { Frame } from './frame.tsx'
import { applyLanguage, applyTheme, savedLanguage, savedTheme, type Theme } from './settings.ts'
import { SignIn } from './sign-in.tsx'

type Known = { readonly session: Session | null; readonly problem: unknown } | 'asking'

/** The whole console: finds out who is there, then shows the sign-in or the pages. */
export function Console({ api }: { readonly api: ApiClient }) {
  const [known, setKnown] = useState<Known>('asking')
  const [language, setLanguage] = useState<Language>(savedLanguage)
  const [theme, setThemeState] = useState<Theme>(savedTheme)
  const say = useMemo(() => sayIn(language), [language])
  api.language = language === 'zh' ? 'zh-CN' : 'en'
  useEffect(() => applyLanguage(language), [language])
  // At once, not after drawing: canvases read the colours while they draw.
  const setTheme = useCallback((chosen: Theme) => {
    applyTheme(chosen)
    setThemeState(chosen)
  }, [])

  const ask = useCallback(async () => {
    try {
      setKnown({ session: await api.session(), problem: null })
    } catch (problem) {
      setKnown({ session: null, problem: problem instanceof ApiError && problem.status === 401 ? null : problem })
    }
  }, [api])
  useEffect(() => {
    api.onSignedOut = () => setKnown({ session: null, problem: null })
    void ask()
  }, [api, ask])

  const signOut = useCallback(() => {
    void api.signOut().finally(() => setKnown({ session: null, problem: null }))
  }, [api])
  const app = useMemo<App | null>(() => {
    if (known === 'asking' || known.session === null) return null
    return { api, session: known.session, say, language, theme, setLanguage, setTheme, signOut }
  }, [api, known, say, language, theme, setTheme, signOut])

  if (known === 'asking') return null
  if (app !== null)
    return (
      <AppContext value={app}>
        <Frame />
      </AppContext>
    )
  return (
    <SignIn
      api={api}
      say={say}
      language={language}
      setLanguage={setLanguage}
      onSignedIn={(session) => setKnown({ session, problem: null })}
    >
      {known.problem === null ? null : <ProblemBox problem={known.problem} say={say} again={() => void ask()} />}
    </SignIn>
  )
}
