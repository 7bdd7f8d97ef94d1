// Package schedule is the file of a run that an exploration has found: YAML that people read, compare and edit.
//
// It owns the format and its version. It must not know how a run is made: a file names operations, messages and faults,
// and the program that replays it finds them.
package schedule
