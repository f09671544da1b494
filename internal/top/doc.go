// Package top shows the transfers of a server in a terminal while they run, and
// stops those that its user points at.
//
// It owns what that looks like: columns, orders, filters and keys. It knows the
// server from outside alone, by what its API tells (/api/v1/transfers and the
// stream below it), so that it shows any server, of another version too.
package top
