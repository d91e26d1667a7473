import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { ApiClient } from '../api/client.ts'
import type { Session } from '../api/types.ts'
import type { Language, Say } from '../i18n/text.ts'
import { LanguageButton } from '../parts/language-button.tsx'
import { Logo } from '../parts/logo.tsx'
import { ProblemBox } from '../parts/problem-box.tsx'

interface Props {
  readonly api: ApiClient
  readonly say: Say
  readonly language: Language
  readonly setLanguage: (language: Language) => void
  readonly onSignedIn: (session: Session) => void
  readonly children?: ReactNode
}

/** Asks for a token and changes it into a session. */
export function SignIn({ api, say, language, setLanguage, onSignedIn, children }: Props) {
  const [token, setToken] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      onSignedIn(await api.signIn(token.trim()))
    } catch (refused) {
      setProblem(refused)
      setBusy(false)
    }
  }

  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <h1>
          <Logo /> kubexm
        </h1>
        <label htmlFor="token">{say('signIn.token')}</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: it is the only field of the page
          autoFocus
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <p className="hint">
          {say('signIn.hint')} <code>kubexm token create --name me --role operator</code>
        </p>
        {problem === null ? children : <ProblemBox problem={problem} say={say} />}
        <div className="row">
          <button type="submit" className="primary" disabled={busy || token.trim() === ''}>
            {say(busy ? 'signIn.busy' : 'signIn.submit')}
          </button>
          <LanguageButton say={say} language={language} setLanguage={setLanguage} />
        </div>
      </form>
    </main>
  )
}
