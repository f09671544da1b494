// What went wrong, in words, and what to do about it.
import { texts } from './texts'

export type Action = 'retry' | 'rename' | 'login' | 'none'

export interface Fault {
  status: number // of the answer; 0 for none
  what: string
  hint: string
  action: Action
  requestID?: string
}

// Problem is the body of a refusal (RFC 9457).
export interface Problem {
  detail?: string
  request_id?: string
}

type Words = readonly [string, string]

const known: Record<number, [Words, Action]> = {
  0: [texts.faults.lost, 'retry'],
  401: [texts.faults.login, 'login'],
  403: [texts.faults.forbidden, 'none'],
  404: [texts.faults.missing, 'retry'],
  410: [texts.faults.gone, 'retry'],
  412: [texts.faults.taken, 'rename'],
  421: [texts.faults.foreign, 'none'],
  429: [texts.faults.busy, 'retry'],
  503: [texts.faults.busy, 'retry'],
  507: [texts.faults.full, 'retry'],
}

// faultOf puts a refusal into words. What the server itself says in detail is
// shown where there is nothing better.
export function faultOf(status: number, problem: Problem = {}): Fault {
  const requestID = problem.request_id
  if (status === 409) {
    const folder = problem.detail?.startsWith('A folder')
    const taken = problem.detail?.includes('doesn\'t replace')
    const [what, hint] = folder ? texts.faults.folderThere : taken ? texts.faults.taken : [problem.detail ?? texts.faults.conflict[0], texts.faults.conflict[1]]
    return { status, what, hint, action: folder || taken ? 'rename' : 'none', requestID }
  }
  const row = known[status]
  if (row) return { status, what: row[0][0], hint: row[0][1], action: row[1], requestID }
  const [what, hint] = status >= 500 ? texts.faults.broken : texts.faults.refused
  return { status, what, hint: (status < 500 && problem.detail) || hint, action: status >= 500 ? 'retry' : 'none', requestID }
}

// parseProblem reads the body of a refusal; what isn't one says nothing.
export function parseProblem(body: string): Problem {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? (parsed as Problem) : {}
  } catch {
    return {}
  }
}

// Refused is a request that the server didn't do.
export class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.what)
  }
}

export const faultIn = (error: unknown): Fault => (error instanceof Refused ? error.fault : faultOf(0))
