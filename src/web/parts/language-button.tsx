import type { Language, Say } from '../i18n/text.ts'

interface Props {
  readonly say: Say
  readonly language: Language
  readonly setLanguage: (language: Language) => void
}

/** Switches to the other language, and names it in its own words. */
export function LanguageButton({ say, language, setLanguage }: Props) {
  return (
    <button type="button" className="quiet" title={say('app.language.hint')} onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}>
      {say('app.language')}
    </button>
  )
}
