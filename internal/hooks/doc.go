// Package hooks tells another service of uploads: what has happened to them by
// [Webhook], after the fact, and what is about to by [Veto], which may say no.
//
// It owns the events and their JSON, the signature (Standard Webhooks,
// https://www.standardwebhooks.com), the queue on the disk and how it is
// worked off. It must not know how uploads come in or where they are kept: it
// gets plain values, and a [Folder] for its files.
//
// Telling is cheap and never fails for the caller: an event is one small file,
// and a goroutine delivers the files in their order. Each event arrives at least
// once; the receiver knows one that it has had already by its id.
package hooks
