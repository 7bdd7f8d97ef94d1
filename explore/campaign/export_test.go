package campaign

import "github.com/canisterd/canisterd/explore/harness"

// Sites are the faults that the messages of a run may have.
func Sites(c *Config, steps []*harness.Step) []harness.Fault { return c.sites(steps) }
