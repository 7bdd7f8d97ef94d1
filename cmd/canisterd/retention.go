package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/quantity"
)

// retentionFlags set how much history a kept instance has.
type retentionFlags struct{ age, records, checkpoints string }

func (f *retentionFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.age, "history-age", "", "maximum age of the history that instance fork --at, history and bisect use, such as 12h; 0 keeps none (default: 7d)")
	flags.StringVar(&f.records, "history-records", "", "maximum size of the records of the history (default: 256MiB)")
	flags.StringVar(&f.checkpoints, "history-checkpoints", "", "maximum size of the checkpoints of the history (default: 1GiB)")
}

// retention returns the retention of the flags, the default if they are empty.
func (f *retentionFlags) retention() (r daemon.Retention, err error) {
	r = daemon.DefaultRetention()
	if f.age != "" {
		if r.Age, err = quantity.ParseDuration(f.age); err != nil {
			return r, fmt.Errorf("--history-age: %w", err)
		}
	}
	if f.records != "" {
		if r.RecordBytes, err = quantity.ParseBytes(f.records); err != nil {
			return r, fmt.Errorf("--history-records: %w", err)
		}
	}
	if f.checkpoints != "" {
		if r.CheckpointBytes, err = quantity.ParseBytes(f.checkpoints); err != nil {
			return r, fmt.Errorf("--history-checkpoints: %w", err)
		}
	}
	return r, nil
}
