import { type KeyboardEvent, type RefObject, useState } from 'react'
import { useApp } from '../app/context.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icons.ts'

interface Props {
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly found: readonly number[] | null
  readonly onFound: (node: number) => void
  readonly searchField: RefObject<HTMLInputElement | null>
  readonly zoom: (factor: number) => void
  readonly fit: () => void
  readonly allOpen: boolean
  readonly onAll: (open: boolean) => void
  /** Null where there is nothing to follow. */
  readonly following: boolean | null
  readonly onFollow: (following: boolean) => void
  readonly onFailed: (() => void) | null
}

/** Search and buttons above the graph. */
export function GraphBar(props: Props) {
  const { say } = useApp()
  const [at, setAt] = useState(0)
  const { found, query } = props
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') props.onQuery('')
    if (event.key !== 'Enter' || found === null || found.length === 0) return
    event.preventDefault()
    const next = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length
    setAt(next)
    props.onFound(found[at % found.length] ?? 0)
  }
  return (
    <div className="bar">
      <label className="search">
        <Icon name="search" />
        <span className="hidden">{say('graph.search')}</span>
        <input
          ref={props.searchField}
          type="search"
          placeholder={say('graph.search')}
          value={query}
          onKeyDown={keys}
          onChange={(event) => {
            props.onQuery(event.target.value)
            setAt(0)
          }}
        />
        {found === null ? null : <output>{found.length === 0 ? say('graph.noMatch') : found.length}</output>}
      </label>
      <span className="spring" />
      {props.onFailed === null ? null : (
        <button type="button" className="danger" onClick={props.onFailed}>
          <Icon name="cross" /> {say('graph.failed')}
        </button>
      )}
      {props.following === null ? null : (
        <button
          type="button"
          aria-pressed={props.following}
          title={say('graph.follow.hint')}
          onClick={() => props.onFollow(props.following !== true)}
        >
          <Icon name="target" /> {say('graph.follow')}
        </button>
      )}
      <IconButton
        icon={props.allOpen ? 'close' : 'open'}
        text={say(props.allOpen ? 'graph.closeAll' : 'graph.openAll')}
        onClick={() => props.onAll(!props.allOpen)}
      />
      <IconButton icon="minus" text={say('graph.zoomOut')} onClick={() => props.zoom(0.8)} />
      <IconButton icon="plus" text={say('graph.zoomIn')} onClick={() => props.zoom(1.25)} />
      <IconButton icon="fit" text={say('graph.fit')} onClick={props.fit} />
    </div>
  )
}

function IconButton({ icon, text, onClick }: { readonly icon: IconName; readonly text: string; readonly onClick: () => void }) {
  return (
    <button type="button" className="icon" title={text} aria-label={text} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}
