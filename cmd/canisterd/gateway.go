package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/daemon"
)

// gatewayFlags say which hosts name canisters, and whether their answers are verified.
type gatewayFlags struct {
	domains    []string
	file       string
	unverified bool
}

func (f *gatewayFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.domains, "domain", nil, "serve canisters at CANISTER.DOMAIN in addition to CANISTER.localhost; repeatable or comma-separated")
	flags.StringVar(&f.file, "domains-file", "", "file of lines HOST:CANISTER, each of which serves a canister at another host; it is read again when it changes")
	flags.BoolVar(&f.unverified, "unverified-pages", false, "serve responses of canisters to browsers without verifying their certification")
}

// config returns the configuration of the gateway. Canisters have the names under which a folder deployed them, or else any
// project of this user.
func (f *gatewayFlags) config(folder string, started func() *daemon.Daemon) daemon.Gateway {
	return daemon.Gateway{
		Domains: f.domains, DomainsFile: absolute(f.file), Unverified: f.unverified,
		Names: func(instance, name string) (principal.Principal, bool) {
			return deployedAs(folder, started(), instance, name)
		},
	}
}

// namesOf returns the names by id under which projects of this user deployed canisters of an instance: those of a
// directory first, then those of the project that was deployed last.
func namesOf(folder string, d *daemon.Daemon, instance string) map[string]string {
	names := map[string]string{}
	if d == nil {
		return names
	}
	networkID, ancestors, err := d.Lineage(instance)
	if err != nil {
		return names
	}
	about := deployed.NetworkOf(networkID, ancestors)
	own, _ := deployed.Nearest(folder)
	stores := []*deployed.Store{own}
	for _, folder := range deployed.RecentFolders() {
		if other, err := deployed.Read(folder); err == nil {
			stores = append(stores, other)
		}
	}
	for _, store := range stores {
		for name, id := range store.Live(about) {
			if _, known := names[id]; !known {
				names[id] = name
			}
		}
	}
	return names
}

// absolute returns a path that does not depend on the current folder; "" for none.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if found, err := filepath.Abs(path); err == nil {
		return found
	}
	return path
}

// deployedAs returns the canister of an instance that a folder deployed under a name, or else the project of this user that
// was deployed last.
func deployedAs(folder string, d *daemon.Daemon, instance, name string) (id principal.Principal, ok bool) {
	if d == nil {
		return id, false
	}
	networkID, ancestors, err := d.Lineage(instance)
	if err != nil {
		return id, false
	}
	about := deployed.NetworkOf(networkID, ancestors)
	own, _ := deployed.Nearest(folder)
	if id, ok = own.Canister(about, name); ok {
		return id, true
	}
	for _, folder := range deployed.RecentFolders() {
		if other, err := deployed.Read(folder); err == nil {
			if id, ok = other.Canister(about, name); ok {
				return id, true
			}
		}
	}
	return id, false
}
