// Package experiment repeats four measurements of earlier servers on the machine
// at hand, and shows their figures beside those of today.
//
// Each is a preset: it starts the servers that it needs, has package loadtest do
// the work, and makes tables of the rows. It owns the presets, the old figures,
// and the baselines that are built in: a raw copy over TCP, and a raw accept loop.
// It must not know how transfers are made or reports are written.
package experiment
