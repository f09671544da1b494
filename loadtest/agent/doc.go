// Package agent lets several machines do the work of one load test.
//
// It owns the agents, which wait for work ([Serve]), the one that gives it to them
// and merges their rows ([Run]), and the conversation of the two: lines of JSON
// over TCP, in which each proves that it knows the shared secret, clocks are
// compared, and every repeat starts at one instant everywhere. Both leave the work
// itself to package loadtest.
//
// The secret keeps strangers from having an agent send load somewhere. It neither
// hides nor seals what follows: agents belong in a network that is trusted.
package agent
