package report

import (
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Differences lists the differences between two states, canister by canister. name returns the name of a canister, shown
// the form of a text, and marked that of a line of the state before or after.
func Differences(diff *controlv1.DiffResponse, name, shown func(string) string, marked func(line string, after bool) string) string {
	if len(diff.GetDifferences()) == 0 {
		return "no difference\n"
	}
	var text strings.Builder
	of := "?"
	for _, d := range diff.GetDifferences() {
		if id := d.GetCanisterId(); id != of {
			of = id
			about := name(id)
			if id == "" {
				about = "network"
			}
			fmt.Fprintf(&text, "%s\n", about)
		}
		fmt.Fprintf(&text, "  %s\n", shown(d.GetWhat()))
		if d.GetBefore() != "" {
			fmt.Fprintf(&text, "    %s\n", marked("- "+shown(d.GetBefore()), false))
		}
		if d.GetAfter() != "" {
			fmt.Fprintf(&text, "    %s\n", marked("+ "+shown(d.GetAfter()), true))
		}
	}
	return text.String()
}
