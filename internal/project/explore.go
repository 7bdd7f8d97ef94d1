package project

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// Explore is what canisterd explore runs in the folder. What a flag says counts instead.
type Explore struct {
	Operations []string          `yaml:"operations" doc:"Update calls that begin at any time, as with --op." example:"[bank withdraw 100]"`
	Any        []string          `yaml:"any" doc:"Canisters of which calls are drawn, as with --any." example:"[bank]"`
	Ranges     []string          `yaml:"ranges" doc:"Integers in drawn arguments of methods." example:"[bank withdraw 1..200]"`
	Examples   []string          `yaml:"examples" doc:"Arguments of methods that are drawn often." example:"[bank withdraw 100]"`
	Twice      []string          `yaml:"twice" doc:"Operations that their users may send twice." example:"[bank withdraw 100]"`
	Before     []string          `yaml:"before" doc:"Calls that are made before the operations, in their order." example:"[bank deposit 100]"`
	Invariants []string          `yaml:"invariants" doc:"Lines that must hold when a run is over." example:"[vault paidOut <= 100]"`
	Sometimes  []string          `yaml:"sometimes" doc:"Lines that must hold at the end of some run." example:"[vault paidOut == 100]"`
	Maximize   []string          `yaml:"maximize" doc:"Queries whose numbers are to become as large as they can." example:"[vault paidOut]"`
	Observe    []string          `yaml:"observe" doc:"Queries by which serial orders are compared." example:"[bank balance]"`
	Faults     *uint64           `yaml:"faults" doc:"Faults that a run has at most (default: 1)." example:"2"`
	FaultKinds []string          `yaml:"fault_kinds" doc:"Kinds of faults (default: all)." example:"[trap_callback]"`
	Untrusted  []string          `yaml:"untrusted" doc:"Canisters that may never answer a call." example:"[vault]"`
	Upgrades   map[string]string `yaml:"upgrades" doc:"Files of modules, by the canisters that may be upgraded to them between a call and its answer." example:"{bank: next.wasm}"`
	Outcalls   []string          `yaml:"outcalls" doc:"Answers to HTTP outcalls: the first without a fault, each other one as a fault." example:"[200 yes, 500 later]"`
	Waits      *uint64           `yaml:"waits" doc:"How often a run goes on at the next timer when no message is left (default: 4)." example:"0"`
	Runs       *uint64           `yaml:"runs" doc:"Runs at most (default: 10,000)." example:"50000"`
	Time       string            `yaml:"time" doc:"Time at most; 0 for no limit (default: 60s)." example:"5m"`
	Stop       *uint64           `yaml:"stop" doc:"End after so many findings (default: 0, which goes on)." example:"1"`
	Workers    string            `yaml:"workers" doc:"Runs in parallel, or external for those of canisterd explore worker, as with --workers." example:"external"`
	Snapshot   string            `yaml:"snapshot" doc:"Snapshot of the instance to explore instead of its present." example:"before"`
	Seed       *uint64           `yaml:"seed" doc:"What drawn orders come from (default: 1)." example:"7"`
}

// ExploreFlags are what the section explore of the project says, as the values of the flags of canisterd explore.
func (p *Project) ExploreFlags() map[string][]string {
	e := &p.Explore
	all := map[string][]string{
		"op": e.Operations, "any": e.Any, "range": e.Ranges, "example": e.Examples, "twice": e.Twice, "before": e.Before, "invariant": e.Invariants, "sometimes": e.Sometimes,
		"maximize": e.Maximize, "observe": e.Observe, "fault": e.FaultKinds, "untrusted": e.Untrusted, "outcall": e.Outcalls,
	}
	for _, name := range slices.Sorted(maps.Keys(e.Upgrades)) {
		all["upgrade"] = append(all["upgrade"], name+"="+filepath.ToSlash(p.Path(e.Upgrades[name])))
	}
	for flag, number := range map[string]*uint64{"faults": e.Faults, "waits": e.Waits, "runs": e.Runs, "stop": e.Stop, "seed": e.Seed} {
		if number != nil {
			all[flag] = []string{fmt.Sprint(*number)}
		}
	}
	for flag, text := range map[string]string{"time": e.Time, "workers": e.Workers, "snapshot": e.Snapshot} {
		if text != "" {
			all[flag] = []string{text}
		}
	}
	return all
}
