// Who uses the page, what they may do, and which folder they look at.
import * as api from './api'
import { faultIn, type Fault } from './faults'
import { folderOf, folderURL } from './paths'
import { Source } from './source'
import { toasts } from './toasts'
import { uploads } from './uploads'

export type View = 'files' | 'transfers'

class Session extends Source {
  info: api.Info | undefined
  folder = ''
  view: View = 'files'
  listing: api.Listing | undefined
  fault: Fault | undefined
  loading = true
  loginAsked = false
  #asked = 0

  async start(): Promise<void> {
    this.folder = folderOf(location.pathname) ?? ''
    this.view = location.hash === '#transfers' ? 'transfers' : 'files'
    addEventListener('popstate', () => this.#follow())
    await this.meet()
  }

  // meet asks who one is, and then for what there is to see.
  async meet(): Promise<void> {
    try {
      this.info = await api.info()
      const { limits, you, protocols } = this.info
      uploads.configure(you.max_size || limits.upload_size, protocols.includes('tus'))
      if (!this.may('list') && !`${this.folder}/`.startsWith(you.prefix && `${you.prefix}/`)) this.folder = you.prefix
      await this.load()
    } catch (error) {
      this.fault = faultIn(error)
      this.loading = false
      this.changed()
    }
  }

  may(scope: string): boolean {
    const you = this.info?.you
    // A link may be good for other ways of sending files than this page's.
    if (scope === 'write' && you?.methods && !you.methods.includes('POST')) return false
    return you?.scopes.includes(scope) ?? false
  }

  // byLink: one has come by a link, and is nobody in particular.
  get byLink(): boolean {
    return this.info?.you.methods !== undefined
  }

  // mayArrange: one may make folders and move things.
  get mayArrange(): boolean {
    return this.may('write') && !this.byLink
  }

  // needsLogin: there is nothing to do here without.
  get needsLogin(): boolean {
    return this.info !== undefined && this.info.you.name === null && !this.may('list') && !this.may('write')
  }

  // mayWatch: one may see transfers, all or one's own.
  get mayWatch(): boolean {
    return this.may('admin') || (this.info?.you.name != null && !this.byLink)
  }

  // canLogIn: there is more than what anybody may do.
  get canLogIn(): boolean {
    return this.info !== undefined && !this.needsLogin && !this.byLink && this.info.you.scopes.length < 5
  }

  askLogin(asked = true): void {
    this.loginAsked = asked
    this.changed()
  }

  // load lists the folder. What was asked for before and comes late is dropped.
  async load(): Promise<void> {
    const asked = ++this.#asked
    this.loading = true
    this.changed()
    if (!this.may('list')) {
      this.listing = undefined
      this.fault = undefined
      this.loading = false
      this.changed()
      return
    }
    try {
      const listing = await api.list(this.folder)
      if (asked !== this.#asked) return
      this.listing = listing
      this.fault = undefined
    } catch (error) {
      if (asked !== this.#asked) return
      this.listing = undefined
      this.fault = faultIn(error)
    }
    this.loading = false
    this.changed()
  }

  open(folder: string): void {
    this.view = 'files'
    if (folder !== this.folder || location.hash !== '') history.pushState(null, '', folderURL(folder))
    this.#show(folder)
  }

  show(view: View): void {
    this.view = view
    history.pushState(null, '', folderURL(this.folder) + (view === 'transfers' ? '#transfers' : ''))
    this.changed()
  }

  #follow(): void {
    this.view = location.hash === '#transfers' ? 'transfers' : 'files'
    this.#show(folderOf(location.pathname) ?? '')
  }

  #show(folder: string): void {
    if (folder !== this.folder) this.listing = undefined
    this.folder = folder
    document.title = `/${folder} – sluice`
    void this.load()
  }
}

export const session = new Session()

// attempt does something, and says so if it doesn't work.
export async function attempt(action: () => Promise<unknown>, said?: string): Promise<boolean> {
  try {
    await action()
    if (said) toasts.say(said)
    return true
  } catch (error) {
    const fault = faultIn(error)
    toasts.say(`${fault.what} ${fault.hint}`.trim(), true)
    return false
  }
}
