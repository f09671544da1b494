// Package e2e holds the end-to-end tests. They run the real binary as its users
// do, on free ports, and put files through it with the clients that people
// use: curl, tus-js-client in Node, and sockets that break off where it hurts.
//
// The tests know the program from outside alone: its flags, its log, its HTTP,
// its metrics and the files on the disk. Most of them run a binary built with
// the race detector; those that measure memory or move gigabytes run the one
// that is shipped. A server that logs a panic or a race, leaves a temporary file
// or does not end with exit code 0 fails the test that started it.
//
// They need Linux, curl, node with the modules of clients, promtool and strace.
// None of them is optional: what is missing fails the tests that use it. The
// tests of 4 GiB are left out with -short.
package e2e
