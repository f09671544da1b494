// Short notes, which screen readers read out.
import { IconButton } from './icons'
import { Source, useSource } from './source'
import { texts } from './texts'

interface Toast {
  id: number
  text: string
  bad: boolean
}

class Toasts extends Source {
  all: Toast[] = []
  #next = 0

  say(text: string, bad = false): void {
    const id = this.#next++
    this.all = [...this.all.slice(-3), { id, text, bad }]
    this.changed()
    setTimeout(() => this.close(id), bad ? 12_000 : 5000)
  }

  close(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id)
    this.changed()
  }
}

export const toasts = new Toasts()

export function ToastList() {
  useSource(toasts)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.all.map(({ id, text, bad }) => (
        <div key={id} class={bad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <IconButton icon="close" label={texts.close} onClick={() => toasts.close(id)} />
        </div>
      ))}
    </div>
  )
}

// copy puts a text on the clipboard, or shows it where that isn't allowed.
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toasts.say(said)
  } catch {
    toasts.say(`${texts.linkShown} ${text}`)
  }
}
