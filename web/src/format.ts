// Numbers for people.

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

// size writes bytes in powers of 1000, as the MB/s beside it are.
export function size(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export const rate = (bytesPerSecond: number): string => `${(bytesPerSecond / 1e6).toFixed(bytesPerSecond < 99.95e6 ? 1 : 0)} MB/s`

// left writes how long something may still take.
export function left(seconds: number): string {
  if (!Number.isFinite(seconds)) return ''
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return `${whole} s left`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s left`
  const minutes = Math.round(whole / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}

const grouped = new Intl.NumberFormat('en')
export const count = (n: number): string => grouped.format(n)

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })
export const time = (date: Date): string => day.format(date)

export const percent = (part: number, whole: number): number => (whole > 0 ? Math.min(100, Math.floor((part / whole) * 100)) : 100)
