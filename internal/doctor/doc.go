// Package doctor examines a deployment: the machine that the server stands on,
// and the proxy in front of it, by what comes through. Each check stands in a
// file of its own and leaves findings; a problem names the setting that mends it.
//
// It is a black-box client like any other and knows nothing of the server's
// inside. Whatever it stores, on the disk or through the proxy, it removes.
package doctor
