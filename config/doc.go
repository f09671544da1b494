// Package config owns the settings of sluice: their names, defaults, limits and meaning, and the way to a
// value through four layers, each over the one before it:
//
//	default < YAML file < SLUICE_* environment < command line flag
//
// One table lists every setting. The flags, the names in the environment, the keys of the file, the output of
// "sluice config" and docs/CONFIG.md are all made from it.
//
// Load reports every fault at once, each with its key, where the value came from and what is wrong with it:
// a value that does not parse or lies outside its limits, a key that no setting has, a file that cannot be read.
// Only the value that counts is judged: one that a higher layer replaces may be wrong.
//
// The package does not know what a setting does. Only the server and the command line import it; every other
// package has options of its own.
package config
