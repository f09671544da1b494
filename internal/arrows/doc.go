// Package arrows holds the rules of which package may import which, as a test: a table of rooms (the packages of
// this module, each with what it may import of it) and a table of libraries (the rooms that may use each), checked
// against what the go command lists for every system that the program is built for.
//
// A package that no room is made for fails the test: a new one is placed on purpose.
//
// The test cache of the go command does not see that other packages changed: run it with -count=1 or, as make
// does, with -shuffle=on.
package arrows
