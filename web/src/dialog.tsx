// A dialog that the browser itself keeps the focus in.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './icons'
import { texts } from './texts'

interface Props {
  title: string
  onClose: () => void
  children: ComponentChildren
  className?: string
}

export function Dialog({ title, onClose, children, className = '' }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose() // beside it
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <IconButton icon="close" label={texts.close} onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  )
}

// Buttons are those at the end of a dialog, which can always be left as it is.
export const Buttons = ({ children, onClose, leave = texts.cancelDialog }: { children: ComponentChildren; onClose: () => void; leave?: string }) => (
  <footer>
    <button type="button" class="button" onClick={onClose}>
      {leave}
    </button>
    {children}
  </footer>
)
