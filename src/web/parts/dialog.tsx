import { type ReactNode, useEffect, useRef } from 'react'
import { useApp } from '../app/context.ts'

interface Props {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
  readonly wide?: boolean
}

/** A question above the page; Escape and the backdrop close it, the keyboard stays inside it. */
export function Dialog({ title, children, onClose, wide = false }: Props) {
  const { say } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) element.showModal()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes a dialog by Escape, which is its cancel event
    <dialog
      ref={dialog}
      className={wide ? 'wide' : ''}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close()
      }}
    >
      <div className="dialog-body">
        <h2>{title}</h2>
        {children}
        <button type="button" className="quiet dialog-close" aria-label={say('app.close')} onClick={() => dialog.current?.close()}>
          ×
        </button>
      </div>
    </dialog>
  )
}
