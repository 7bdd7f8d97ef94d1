// Command canisterd starts a local Internet Computer and talks to one.
//
// It owns flags, output and exit codes. daemon.Start starts a daemon; everything else goes through api/control/remote
// like any other client's requests, so the commands work against a daemon on another machine. Components run in the
// process of the command, without a daemon. Results go to stdout,
// everything else to stderr; --json makes results machine-readable.
package main
