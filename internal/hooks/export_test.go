package hooks

// MaxFailed is maxFailed.
const MaxFailed = maxFailed
