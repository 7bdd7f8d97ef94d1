package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// deployInput is what deploy takes.
type deployInput struct {
	Folder  string            `json:"folder,omitempty" jsonschema:"folder of the project, relative to that of the server; default: that one"`
	Modules []string          `json:"modules,omitempty" jsonschema:"Wasm files in the folder to deploy instead of its canisterd.yaml, each as a canister with the name of its file"`
	Init    map[string]string `json:"init,omitempty" jsonschema:"with modules: arguments of installations by canister, as Candid text"`
	Manual  bool              `json:"manual,omitempty" jsonschema:"manual pacing: rounds and time pass only when asked for"`
	detailed
}

// deploy deploys to a fresh instance.
func (s *Server) deploy(ctx context.Context, in deployInput) (string, error) {
	if len(in.Init) > 0 && len(in.Modules) == 0 {
		return "", errors.New("init is for modules: write init into canisterd.yaml, or pass modules")
	}
	from := source{folder: in.Folder, modules: in.Modules, init: in.Init}
	if _, err := s.project(from); err != nil { // before an instance is created
		return "", err
	}
	var pacing *controlv1.Pacing
	if in.Manual {
		pacing = &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
	}
	instance, err := s.create(ctx, pacing)
	if err != nil {
		return "", err
	}
	ids, err := s.deployTo(ctx, instance, from)
	if err != nil {
		return "", errors.Join(err, s.remove(ctx, instance))
	}
	if dropped := s.remember(&deployment{instance: instance, source: from, ids: ids}); dropped != nil {
		if err := s.remove(ctx, dropped.instance); err != nil {
			return "", err
		}
	}
	text, err := s.interfaces(ctx, s.namesOf(instance))
	return "instance " + instance + "\n" + text, err
}

// interfaces lists canisters with their methods and the values of queries without arguments.
func (s *Server) interfaces(ctx context.Context, n *names) (string, error) {
	all, more, err := s.canisters(ctx, n)
	if err != nil {
		return "", err
	}
	seen := s.observe(ctx, n, all)
	var text strings.Builder
	for _, c := range all {
		fmt.Fprintf(&text, "%s  %s\n", c.Name, c.ID)
		for _, m := range c.Methods {
			fmt.Fprintf(&text, "  %s %s", m.Name, m.Signature)
			if m.Query {
				text.WriteString(" query")
			}
			if value, known := seen.Results[c.Name+" "+m.Name]; known {
				text.WriteString(" = " + short(value))
			}
			text.WriteString("\n")
		}
	}
	if more > 0 {
		fmt.Fprintf(&text, "and %d more canisters\n", more)
	}
	return text.String(), nil
}
