// Runs before anything shows: the theme that was chosen, and that scripts run.
try {
  const theme = localStorage.getItem('sluice-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing has no theme of its own either.
}
document.documentElement.dataset.scripted = ''
