import { useEffect } from 'react'
import { ClusterPage } from '../pages/cluster.tsx'
import { ClustersPage } from '../pages/clusters.tsx'
import { JobPage } from '../pages/job.tsx'
import { JobsPage } from '../pages/jobs.tsx'
import { SubmitPage } from '../pages/submit.tsx'
import { Icon } from '../parts/icon.tsx'
import { LanguageButton } from '../parts/language-button.tsx'
import { Logo } from '../parts/logo.tsx'
import { mayChange, useApp } from './context.ts'
import { addressOf, followLink, type Route, routeOf, useAddress } from './route.ts'
import { themes } from './settings.ts'

/** The bar at the top and the page below it. */
export function Frame() {
  const { say, session, language, theme, setLanguage, setTheme, signOut } = useApp()
  const route = routeOf(useAddress())
  useEffect(() => {
    document.addEventListener('click', followLink)
    return () => document.removeEventListener('click', followLink)
  }, [])
  const links: readonly (readonly [Route, string, boolean])[] = [
    [{ page: 'clusters' }, say('nav.clusters'), route.page === 'clusters' || route.page === 'cluster'],
    [{ page: 'jobs', cluster: '', status: '' }, say('nav.jobs'), route.page === 'jobs' || route.page === 'job'],
    ...(mayChange(session) ? [[{ page: 'new' }, say('nav.new'), route.page === 'new'] as const] : []),
  ]
  return (
    <>
      <header className="top">
        <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
          {say('app.skip')}
        </button>
        <a className="brand" href={addressOf({ page: 'clusters' })}>
          <Logo /> <span>kubexm</span>
        </a>
        <nav aria-label={say('nav.label')}>
          {links.map(([to, text, current]) => (
            <a key={to.page} href={addressOf(to)} aria-current={current ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <div className="who">
          <span className="name" title={say('app.role', { role: session.role })}>
            {session.name}
          </span>
          <LanguageButton say={say} language={language} setLanguage={setLanguage} />
          <button
            type="button"
            className="quiet icon"
            title={`${say('app.theme')}: ${say(`app.theme.${theme}`)}`}
            aria-label={`${say('app.theme')}: ${say(`app.theme.${theme}`)}`}
            onClick={() => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto')}
          >
            <Icon name={theme === 'auto' ? 'contrast' : theme === 'light' ? 'sun' : 'moon'} />
          </button>
          <button type="button" className="quiet icon" title={say('app.signOut')} aria-label={say('app.signOut')} onClick={signOut}>
            <Icon name="leave" />
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <PageOf route={route} />
      </main>
    </>
  )
}

function PageOf({ route }: { readonly route: Route }) {
  const { say } = useApp()
  switch (route.page) {
    case 'clusters':
      return <ClustersPage />
    case 'cluster':
      return <ClusterPage key={route.name} name={route.name} />
    case 'jobs':
      return <JobsPage cluster={route.cluster} status={route.status} />
    case 'job':
      return <JobPage key={route.id} id={route.id} tab={route.tab} query={route.query} />
    case 'new':
      return <SubmitPage />
    default:
      return <p className="empty">{say('app.notFound')}</p>
  }
}
