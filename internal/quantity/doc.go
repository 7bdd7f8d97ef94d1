// Package quantity reads amounts as people write them on the command line and in canisterd.yaml: bytes (512MiB), durations
// (7d, 1w2d), numbers of seconds (30d) and cycles (1.5T).
//
// It owns the units and the texts of refusals. It must not know what is measured.
package quantity
