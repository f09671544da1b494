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
// They need Linux, curl, node with the modules of clients, promtool and strace,
// and for small file systems and failing system calls root, mount, mkfs.ext4,
// prlimit and setpriv. None of them is optional: what is missing fails the tests
// that use it. The tests of 4 GiB are left out with -short.
//
// Variables of the environment make two of them longer: SOAK_ROUNDS is how often
// the server is killed under load, with SOAK_SEED to repeat a run, and CROWD_FULL
// lets as many clients come as the server has to bear.
package e2e
