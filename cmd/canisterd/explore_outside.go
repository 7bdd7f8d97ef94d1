package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// outsideFlags are the upgrades and the answers to HTTP outcalls that a run may have.
type outsideFlags struct{ upgrades, outcalls []string }

func (f *outsideFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.upgrades, "upgrade", nil, "CANISTER=FILE: the canister may be upgraded to this module between a call and its response")
	flags.StringArrayVar(&f.outcalls, "outcall", nil, "response to HTTP outcalls, such as '200 {\"rate\": 7}'; repeatable, each after the first counts as a fault")
}

// read reads the flags and the modules.
func (f *outsideFlags) read() (upgrades []*controlv1.ExploreUpgrade, outcalls []*controlv1.ExploreOutcall, err error) {
	for _, text := range f.upgrades {
		name, file, found := strings.Cut(text, "=")
		if !found {
			return nil, nil, fmt.Errorf("invalid --upgrade %q: expected CANISTER=FILE", text)
		}
		module, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("--upgrade: %w", err)
		}
		upgrades = append(upgrades, &controlv1.ExploreUpgrade{Canister: name, Module: module})
	}
	for _, text := range f.outcalls {
		number, body, _ := strings.Cut(text, " ")
		status, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return nil, nil, fmt.Errorf("invalid --outcall %q: expected a status and a body, such as '200 hello'", text)
		}
		outcalls = append(outcalls, &controlv1.ExploreOutcall{Status: uint32(status), Body: []byte(body)})
	}
	return upgrades, outcalls, nil
}
