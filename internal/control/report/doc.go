// Package report writes answers of the control API for people: outcomes of replays, the states of their runs, differences
// between networks, and the files of schedules.
//
// It owns the names of these files. It must not know where the text is shown: its callers hand in the names of canisters and the form of values.
package report
