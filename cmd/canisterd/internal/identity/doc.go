// Package identity has the keys that the user of the command line makes calls as.
//
// It owns the files of keys in the user's configuration folder, and what can be read of keys that other tools wrote. It
// must not know the daemon: calls to it name a principal, and are not signed. Requests to other networks are (Key.Sign).
package identity
