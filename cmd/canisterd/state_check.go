package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/daemon"
)

// stateReport describes a state directory in JSON.
type stateReport struct {
	Instance    string            `json:"instance,omitempty"`
	Checkpoints []stateCheckpoint `json:"checkpoints"`
	Records     uint64            `json:"records"`
	Lost        uint64            `json:"lost,omitempty"`
	Damaged     []string          `json:"damaged"`
	Error       string            `json:"error,omitempty"`     // why the directory could not be read
	Instances   []stateReport     `json:"instances,omitempty"` // the other instances in the directory
}

// stateCheckpoint describes a checkpoint in JSON.
type stateCheckpoint struct {
	File   string `json:"file"`
	Height uint64 `json:"height"`
	Bytes  int64  `json:"bytes"`
}

// describeState describes the checkpoints, the records and the damage of a state directory, for JSON and for people.
func (c *cli) describeState(h *daemon.StateHealth) (report stateReport, text string) {
	report = stateReport{Checkpoints: []stateCheckpoint{}, Records: h.End - h.From, Damaged: []string{}}
	var lines strings.Builder
	for _, k := range h.Checkpoints {
		report.Checkpoints = append(report.Checkpoints, stateCheckpoint{k.File, k.Height, k.Bytes})
		fmt.Fprintf(&lines, "checkpoint  %s: height %s, %s\n", k.File, grouped(fmt.Sprint(k.Height)), bytesOf(uint64(k.Bytes)))
	}
	fmt.Fprintf(&lines, "journal     %s after the oldest of them", count(report.Records, "record"))
	if h.Had > h.End {
		report.Lost = h.Had - h.End
		fmt.Fprintf(&lines, ", and %s cannot be read", count(report.Lost, "later record"))
	}
	for _, reason := range h.Reasons() {
		report.Damaged = append(report.Damaged, reason)
		fmt.Fprintf(&lines, "\n%s     %s", c.paint(red, "DAMAGED"), reason)
	}
	return report, lines.String()
}

// instanceState is the state directory of one instance.
type instanceState struct{ instance, dir string }

// String names the directory, and the instance unless it is the default one.
func (k *instanceState) String() string {
	if k.instance == daemon.DefaultInstance {
		return "the state directory"
	}
	return "instance " + k.instance
}

// keptStates returns the state directory that a command names, or the default one, and those of all other instances in
// it unless --instance selects one.
func (c *cli) keptStates(args []string) ([]instanceState, error) {
	dir, err := c.stateArgument(args)
	if err != nil {
		return nil, err
	}
	all := []instanceState{{cmp.Or(c.instance, daemon.DefaultInstance), dir}}
	if c.instance != "" {
		return all, nil
	}
	others, err := daemon.KeptInstances(dir)
	for _, name := range others {
		all = append(all, instanceState{name, daemon.InstanceStateDir(dir, name)})
	}
	return all, err
}

// stateReports collects the reports about the directories of several instances.
type stateReports struct {
	*cli
	several bool
	reports []stateReport
	text    []string
	failed  []error
}

// add adds the health of a directory, or the error that it could not be read.
func (r *stateReports) add(k *instanceState, h *daemon.StateHealth, err error) {
	report, text := r.describeState(h)
	if err != nil {
		report.Error, text = err.Error(), r.paint(red, "UNREADABLE")+"  "+err.Error()
	}
	if r.several {
		report.Instance = k.instance
		text = fmt.Sprintf("instance    %s, in %s\n%s", k.instance, k.dir, text)
	}
	r.reports, r.text = append(r.reports, report), append(r.text, text)
}

// print prints the reports: in JSON, the first has the others.
func (r *stateReports) print() error {
	if len(r.reports) == 0 {
		return nil
	}
	first := r.reports[0]
	first.Instances = r.reports[1:]
	return r.cli.print(strings.Join(r.text, "\n"), first)
}

func (c *cli) stateCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check [DIR]",
		Short: "Check a state directory for damage",
		Long: `Check a state directory for damage: all its instances, or the one that --instance
selects. Everything is read and nothing is changed.`,
		Example: `  canisterd state check
  canisterd state check ./state`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := c.keptStates(args)
			if err != nil {
				return err
			}
			r := stateReports{cli: c, several: len(all) > 1}
			for i := range all {
				k := &all[i]
				h, err := daemon.CheckState(k.dir)
				if err != nil && (!r.several || daemon.StateInUse(err)) {
					return err
				}
				r.add(k, &h, err)
				if verdict := k.verdict(&h, err); verdict != nil {
					r.failed = append(r.failed, verdict)
				}
			}
			return errors.Join(append([]error{r.print()}, r.failed...)...)
		},
	}
}

// verdict says what to do about the health of a directory, or about the error that it could not be read; nil: nothing.
func (k *instanceState) verdict(h *daemon.StateHealth, err error) error {
	good, ok := h.Good()
	switch {
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", k, err)
	case len(h.Damaged) > 0 && !ok:
		return fmt.Errorf("%s is damaged, and no usable checkpoint is left: restore %s from a backup, or delete it (canisterd state delete %[2]s)", k, k.dir)
	case len(h.Damaged) > 0:
		return fmt.Errorf("%s is damaged: canisterd state repair %s recovers %s (height %d)", k, k.dir, good.File, good.Height)
	case len(h.Snapshots) > 0:
		return fmt.Errorf("%s has %s that cannot be read: a daemon can start from it, and canisterd state repair %s removes what is damaged", k, count(uint64(len(h.Snapshots)), "snapshot"), k.dir)
	}
	return nil
}

func (c *cli) stateRepair() *cobra.Command {
	return &cobra.Command{
		Use:   "repair [DIR]",
		Short: "Repair a damaged state directory",
		Long: `Repair a damaged state directory, so that a daemon can start from it: at the newest
undamaged checkpoint, with the records after it. Damaged records are removed with all
records after them, and so are damaged snapshots. A damaged store is moved aside, and
what can be read of it is copied to a new one. All instances in the directory are
repaired, or the one that --instance selects.`,
		Example: `  canisterd state repair
  canisterd -i lab state repair ./state`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := c.keptStates(args)
			if err != nil {
				return err
			}
			r := stateReports{cli: c, several: len(all) > 1}
			var notes []string
			for i := range all {
				k := &all[i]
				h, end, err := daemon.RepairState(k.dir)
				if err != nil && (!r.several || daemon.StateInUse(err)) {
					return err
				}
				if err != nil {
					r.failed = append(r.failed, fmt.Errorf("%s cannot be repaired: %w", k, err))
				}
				damaged := len(h.Damaged)+len(h.Snapshots) > 0
				if err != nil || damaged {
					r.add(k, &h, err)
				}
				if err == nil && damaged {
					notes = append(notes, repaired(k, &h, end)...)
				}
			}
			if len(r.reports) == 0 {
				return c.print("nothing is damaged", []string{})
			}
			err = r.print()
			for _, note := range notes {
				c.note("%s", note)
			}
			return errors.Join(append([]error{err}, r.failed...)...)
		},
	}
}

// repaired says what a daemon has after a repair.
func repaired(k *instanceState, h *daemon.StateHealth, end uint64) (notes []string) {
	if len(h.Damaged) > 0 {
		notes = append(notes, fmt.Sprintf("%s is repaired: a daemon goes on with the records before record %d", k, end))
	}
	for i := range h.Snapshots {
		if s := &h.Snapshots[i]; s.Newer {
			notes = append(notes, fmt.Sprintf("snapshot %q of %s stays as it is: a newer canisterd can read it", s.Name, k))
		} else {
			notes = append(notes, fmt.Sprintf("snapshot %q of %s is removed: its file was damaged", s.Name, k))
		}
	}
	if h.Aside != "" {
		notes = append(notes, fmt.Sprintf("the damaged store is in %s: remove it when you do not need it", filepath.Join(k.dir, h.Aside)))
	}
	return notes
}
