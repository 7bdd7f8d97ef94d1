package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
)

// maxDoctorModules is how many of the known modules in an instance canisterd doctor names.
const maxDoctorModules = 8

// examineKnownModules checks the file with the modules that the user added.
func examineKnownModules() daemon.Finding {
	f := daemon.Finding{Check: "known modules"}
	all, err := knownModules()
	if err != nil {
		f.Health, f.Found = daemon.Failed, err.Error()
		return f
	}
	added := len(slices.DeleteFunc(slices.Clone(all), func(m knownModule) bool { return !m.Added }))
	f.Found = fmt.Sprintf("%d, %d of them added by canisterd modules update", len(all), added)
	return f
}

// modulesIn names the known modules that run in an instance. An instance that does not answer has none.
func modulesIn(ctx context.Context, d *remote.Daemon, instance string) []daemon.Finding {
	running := map[string][]string{} // canisters by module
	all, err := allCanisters(ctx, d, instance)
	if err != nil {
		return nil
	}
	for _, s := range all {
		if name := moduleText(s.GetKnownModule()); name != "" {
			running[name] = append(running[name], s.GetCanisterId())
		}
	}
	var findings []daemon.Finding
	for _, name := range slices.Sorted(maps.Keys(running)) {
		if len(findings) == maxDoctorModules {
			return append(findings, daemon.Finding{Check: "modules in " + instance, Found: fmt.Sprintf("%d more (canisterd canister status)", len(running)-len(findings))})
		}
		ids := running[name]
		text := strings.Join(ids[:min(3, len(ids))], ", ")
		if len(ids) > 3 {
			text += fmt.Sprintf(" and %d more", len(ids)-3)
		}
		findings = append(findings, daemon.Finding{Check: "modules in " + instance, Found: fmt.Sprintf("the %s: %s", name, text)})
	}
	return findings
}
