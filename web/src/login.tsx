// Trades a token for a session.
import { useEffect, useRef, useState } from 'preact/hooks'
import { logIn } from './api'
import { faultIn } from './faults'
import { session } from './session'
import { texts } from './texts'

export function Login({ onDone }: { onDone: () => void }) {
  const [token, setToken] = useState('')
  const [bad, setBad] = useState('')
  const [busy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await logIn(token.trim())
    } catch (error) {
      const fault = faultIn(error)
      setBad(fault.status === 401 ? texts.loginFailed : `${fault.what} ${fault.hint}`)
      setBusy(false)
      return
    }
    onDone()
    await session.meet()
  }
  return (
    <form class="login" onSubmit={submit}>
      <p>{texts.loginWhy}</p>
      <label class="field">
        {texts.token}
        <input ref={input} data-first type="password" required autocomplete="current-password" value={token} aria-invalid={bad !== ''} onInput={(event) => setToken(event.currentTarget.value)} />
        <span class="quiet small">{texts.tokenHint}</span>
        <span class="bad" role="alert">
          {bad}
        </span>
      </label>
      <button class="button primary" disabled={busy}>
        {texts.logIn}
      </button>
    </form>
  )
}
