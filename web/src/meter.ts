// How fast something moves, over the last seconds.

const window_ = 5000 // ms
const every = 250 // ms between samples

export class Meter {
  #samples: { at: number; bytes: number }[] = []

  at(bytes: number): void {
    const now = performance.now()
    const newest = this.#samples.at(-1)
    if (newest && now - newest.at < every && this.#samples.length > 1) newest.bytes = bytes
    else this.#samples.push({ at: now, bytes })
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > window_) this.#samples.shift()
  }

  reset(): void {
    this.#samples = []
  }

  // rate is in bytes per second; 0 while nothing is known.
  get rate(): number {
    const first = this.#samples[0]
    const newest = this.#samples.at(-1)
    if (!first || !newest || newest.at - first.at < 2 * every) return 0
    // What has stopped moving slows down as time goes on.
    const until = Math.max(newest.at, performance.now() - 2 * every)
    return Math.max(0, ((newest.bytes - first.bytes) / (until - first.at)) * 1000)
  }
}
