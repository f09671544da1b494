// Package transfer is the registry of every running transfer: what moves, for
// whom, how much of it so far and how fast, and what became of those that
// ended.
//
// A handler calls [Registry.Begin] when a body starts to move, [Transfer.Add]
// after each socket read or write, and [Transfer.End] once. Everything else
// reads: the API lists [Registry.Running] and [Registry.Recent], metrics are
// made of [Registry.Totals], the log line of a finished transfer comes from
// [Options.OnEnd], and a graceful stop waits for [Registry.Idle].
//
// The package starts no goroutine. Rates are evaluated when somebody asks, from
// marks that Add leaves behind five times a second at most, so that an idle
// registry costs nothing and a stalled transfer's rate still falls to 0.
//
// It knows neither HTTP nor Prometheus nor logging. All methods are safe for
// concurrent use.
package transfer
