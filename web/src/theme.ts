// Light or dark: as the system has it, until somebody chooses.

export type Theme = 'light' | 'dark'

export function theme(): Theme {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function setTheme(next: Theme): void {
  document.documentElement.dataset.theme = next
  try {
    localStorage.setItem('sluice-theme', next)
  } catch {
    // It holds until the page is closed.
  }
}
