// What views follow: something that tells when it has changed.
import { useEffect, useState } from 'preact/hooks'

export class Source {
  #listeners = new Set<() => void>()
  #scheduled = false

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  // changed tells the listeners, all changes of a moment at once.
  changed(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // Not by animation frames, which don't come in a hidden tab.
    setTimeout(() => {
      this.#scheduled = false
      for (const listener of this.#listeners) listener()
    }, 50)
  }
}

// useSource renders again whenever the source changes.
export function useSource(source: Source): void {
  const [, set] = useState(0)
  useEffect(() => {
    set((n) => n + 1) // it may have changed before it was followed
    return source.subscribe(() => set((n) => n + 1))
  }, [source])
}
