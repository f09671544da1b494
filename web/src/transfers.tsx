// All transfers of the server that one may see, live.
import { useEffect, useState } from 'preact/hooks'
import { stopTransfer } from './api'
import { left, rate, size } from './format'
import { IconButton } from './icons'
import { address, last, shown } from './paths'
import { attempt, session } from './session'
import { Source, useSource } from './source'
import { texts } from './texts'

interface Transfer {
  id: string
  direction: 'upload' | 'download'
  protocol: string
  name: string
  client: string
  user?: string
  bytes: number
  total?: number
  bytes_per_second: number
  mean_bytes_per_second: number
  elapsed_seconds: number
}

interface Ended extends Transfer {
  result: string
  end: string
}

interface State {
  running: Transfer[]
  recent: Ended[]
}

const samples = 60 // of a sparkline, one each second
const shortest = 12 // that one is drawn for

// Live follows the server's stream for as long as somebody looks.
class Live extends Source {
  state: State | undefined
  lost = false
  readonly rates = new Map<string, number[]>()
  #stream: EventSource | undefined

  open(): void {
    this.#stream = new EventSource(address('/api/v1/transfers/stream'))
    this.#stream.addEventListener('transfers', (event) => this.#take(JSON.parse(event.data as string) as State))
    this.#stream.addEventListener('error', () => {
      this.lost = true
      this.changed()
    })
  }

  close(): void {
    this.#stream?.close()
    this.rates.clear()
  }

  #take(state: State): void {
    this.state = state
    this.lost = false
    const ids = new Set(state.running.map(({ id }) => id))
    for (const id of this.rates.keys()) if (!ids.has(id)) this.rates.delete(id)
    for (const { id, bytes_per_second } of state.running) this.rates.set(id, [...(this.rates.get(id) ?? []).slice(1 - samples), bytes_per_second])
    this.changed()
  }
}

const live = new Live()

export function Transfers() {
  useSource(live)
  useEffect(() => {
    live.open()
    return () => live.close()
  }, [])
  const [ended, setEnded] = useState(20)
  const running = live.state?.running ?? []
  const recent = live.state?.recent ?? []
  const sum = (of: Transfer['direction']) => running.filter(({ direction }) => direction === of).reduce((all, one) => all + one.bytes_per_second, 0)
  return (
    <div class="transfers">
      {live.lost && (
        <p class="banner" role="status">
          {texts.streamLost}
        </p>
      )}
      <section class="card" aria-label={texts.running}>
        <header>
          <h2>{texts.running}</h2>
          <span class="quiet numbers">
            {texts.together(running.length)} · ↑ {rate(sum('upload'))} · ↓ {rate(sum('download'))}
          </span>
        </header>
        {running.length === 0 && (
          <div class="blank">
            <h3>{texts.nothingRuns}</h3>
            <p>{texts.nothingRunsHint}</p>
          </div>
        )}
        <ul class="moving">
          {running.slice(0, 200).map((one) => (
            <Running key={one.id} one={one} />
          ))}
        </ul>
      </section>
      <section class="card" aria-label={texts.recent}>
        <header>
          <h2>{texts.recent}</h2>
        </header>
        {recent.length === 0 && <p class="quiet">{texts.nothingRecent}</p>}
        <ul class="moving">
          {recent.slice(0, ended).map((one) => (
            <li key={one.id}>
              <span class={`way ${one.direction}`} aria-label={one.direction === 'upload' ? texts.upload : texts.downloading}>
                {one.direction === 'upload' ? '↑' : '↓'}
              </span>
              <span class="what">
                <span class="path">{shown(one.name) || '/'}</span>
                <span class="quiet small">{via(one)}</span>
              </span>
              <span class="quiet numbers">
                {size(one.bytes)} · {rate(one.mean_bytes_per_second)}
              </span>
              <span class={one.result === 'ok' ? 'result' : 'result bad'}>{texts.results[one.result] ?? one.result}</span>
            </li>
          ))}
        </ul>
        {recent.length > ended && (
          <button type="button" class="button more" onClick={() => setEnded(ended + 50)}>
            {texts.showMore(Math.min(50, recent.length - ended))}
          </button>
        )}
      </section>
    </div>
  )
}

const via = (one: Transfer) => texts.via(one.protocol, one.user ? `${one.user}, ${one.client}` : one.client)

function Running({ one }: { one: Transfer }) {
  const name = last(one.name) || '/'
  const rates = live.rates.get(one.id) ?? []
  return (
    <li>
      <span class={`way ${one.direction}`} aria-label={one.direction === 'upload' ? texts.upload : texts.downloading}>
        {one.direction === 'upload' ? '↑' : '↓'}
      </span>
      <span class="what">
        <span class="path">{shown(one.name) || '/'}</span>
        {one.total !== undefined && <progress max={Math.max(one.total, 1)} value={one.bytes} aria-label={texts.progressOf(name)} />}
        <span class="quiet small">
          {size(one.bytes)}
          {one.total !== undefined && ` of ${size(one.total)}`} · {via(one)}
        </span>
      </span>
      <Sparkline rates={rates} label={texts.rateOver(name)} />
      <span class="numbers pace">
        <strong>{rate(one.bytes_per_second)}</strong>
        <span class="quiet small">{one.total !== undefined && one.bytes_per_second > 0 ? left((one.total - one.bytes) / one.bytes_per_second) : ''}</span>
      </span>
      {(session.may('admin') || one.user === session.info?.you.name) && (
        <IconButton icon="close" label={texts.stop(name)} onClick={() => void attempt(() => stopTransfer(one.id), texts.stopped)} />
      )}
    </li>
  )
}

// Sparkline draws rates from 0 to the highest of them, the newest at the right.
function Sparkline({ rates, label }: { rates: number[]; label: string }) {
  const top = Math.max(...rates, 1)
  const span = Math.max(rates.length, shortest)
  const x = (i: number) => ((span - rates.length + i) * 100) / (span - 1)
  const points = rates.map((value, i) => `${x(i)},${29 - (value / top) * 27}`)
  return (
    <svg class="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={label}>
      {points.length > 1 && <polygon points={`${x(0)},30 ${points.join(' ')} 100,30`} />}
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  )
}
