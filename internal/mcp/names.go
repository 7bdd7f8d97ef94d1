package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
)

// names are the names of canisters in one instance, and of identities. They are the request.Names of an operation.
type names struct {
	instance   string            // for errors
	ids        map[string]string // of canisters by name
	principals map[string]string // of identities by name
	sender     string
}

// namesOf returns the names in an instance.
func (s *Server) namesOf(instance string) *names {
	n := &names{instance: instance, ids: map[string]string{}, principals: s.Principals, sender: s.Sender}
	if d := s.deploymentOf(instance); d != nil {
		n.ids = d.ids
	} else if s.Names != nil {
		for id, name := range s.Names(instance) {
			n.ids[name] = id
		}
	}
	return n
}

// all returns principals by name. A canister comes before an identity.
func (n *names) all() map[string]string {
	all := map[string]string{}
	maps.Copy(all, n.principals)
	maps.Copy(all, n.ids)
	return all
}

// name returns the name of a canister or an identity, or else the principal.
func (n *names) name(id string) string {
	for _, of := range []map[string]string{n.ids, n.principals} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if of[name] == id {
				return name
			}
		}
	}
	return id
}

// shown returns a text of the daemon with names in place of principals.
func (n *names) shown(text string) string {
	return reference.Show(text, func(id principal.Principal) string {
		if name := n.name(id.String()); name != id.String() {
			return name
		}
		return ""
	})
}

// byPrincipal returns the names of canisters and identities by principal. The anonymous user has none.
func (n *names) byPrincipal() map[string]string {
	all := map[string]string{}
	for name, id := range n.all() {
		all[id] = name
	}
	delete(all, principal.Anonymous.String())
	return all
}

// Canister returns the id of a canister that is given by its id or its name.
func (n *names) Canister(text string) (string, error) {
	if id := n.ids[text]; id != "" {
		return id, nil
	}
	if reference.IsPrincipal(text) {
		return text, nil
	}
	known := slices.Sorted(maps.Keys(n.ids))
	if len(known) == 0 {
		return "", fmt.Errorf("instance %s has no canister with the name %q: deploy first", shownInstance(n.instance), text)
	}
	return "", fmt.Errorf("instance %s has no canister with the name %q%s (canisters: %s)", shownInstance(n.instance), text, reference.Meant(text, known), strings.Join(known, ", "))
}

// Caller returns the principal that makes a call.
func (n *names) Caller(name string) (string, error) {
	if name == "" {
		return n.sender, nil
	}
	return n.principal(name)
}

// Resolve replaces each ${NAME} by a principal.
func (n *names) Resolve(text string) (string, error) { return reference.Resolve(text, n.principal) }

// principal returns the principal with a name.
func (n *names) principal(name string) (string, error) {
	known := n.all()
	switch {
	case known[name] != "":
		return known[name], nil
	case reference.IsPrincipal(name):
		return name, nil
	}
	return "", fmt.Errorf("%q is neither a principal nor the name of a canister or an identity%s (names: %s)", name,
		reference.Meant(name, slices.Sorted(maps.Keys(known))), strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}
