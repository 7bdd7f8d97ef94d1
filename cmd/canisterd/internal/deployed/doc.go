// Package deployed has the ids of the canisters that were deployed from a folder, by network and name.
//
// It owns the file of ids in the folder, and the record of folders in the user's data folder. It must not connect to
// a daemon: callers say which network an id is of.
package deployed
