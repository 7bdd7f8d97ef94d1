package project

import (
	"context"
	"fmt"
)

// Target is the network to which a project is deployed.
type Target interface {
	// Check checks what the project says about the network, before anything is created.
	Check(ctx context.Context) error
	// Create creates a canister that is not a clone, unless it exists.
	Create(ctx context.Context, name string) error
	// Clone makes the clone that a canister of the project is, unless it exists.
	Clone(ctx context.Context, name string) error
	// Install gives a canister the settings and the module of the project. All canisters of the project exist.
	Install(ctx context.Context, name string) error
}

// Deploy checks the whole project, creates its canisters, and then installs each after those that it needs. only and
// principals are those of [Project.Check].
func (p *Project) Deploy(ctx context.Context, only []string, principals map[string]string, to Target) error {
	order, err := p.Order()
	if err != nil {
		return err
	}
	if err := p.Check(only, principals); err != nil {
		return err
	}
	if err := to.Check(ctx); err != nil {
		return err
	}
	for _, name := range order {
		if err := p.create(ctx, name, to); err != nil {
			return fmt.Errorf("creating %s: %w", name, err)
		}
	}
	for _, name := range order {
		if err := to.Install(ctx, name); err != nil {
			return fmt.Errorf("installing %s: %w", name, err)
		}
	}
	return nil
}
