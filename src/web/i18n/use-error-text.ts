import { useEffect, useState } from 'react'
import type { ShortError } from '../api/types.ts'
import { useApp } from '../app/context.ts'

type Translate = (error: ShortError) => ShortError

const asItIs: Translate = (error) => error
let chinese: Translate | null = null

/** Says errors in the chosen language. The table of all errors is large, so it is fetched only by those who need it. */
export function useErrorText(): Translate {
  const { language } = useApp()
  const [translate, setTranslate] = useState<Translate | null>(() => chinese)
  useEffect(() => {
    if (language !== 'zh' || chinese !== null) return
    let wanted = true
    void import('./error-text.ts').then(
      ({ errorInChinese }) => {
        chinese = errorInChinese
        if (wanted) setTranslate(() => errorInChinese)
      },
      // Without the table the English words stay.
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [language])
  return language === 'zh' ? (translate ?? asItIs) : asItIs
}
