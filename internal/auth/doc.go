// Package auth decides who a request is from and what that one may do: tokens
// and their file, sessions of browsers, and what somebody may do who shows
// nothing.
//
// It owns identities, scopes and every check of a credential. Whatever isn't
// granted is denied, and whoever shows a credential that doesn't hold is refused
// rather than taken for nobody. It must not know HTTP servers, storage or
// settings: names come as paths that have been validated, and credentials as the
// text that a request has brought.
package auth
