package canister

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/components"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// LinkComponent turns a component, raw or gzip, that needs FeatureComponents into a module that every canister may have. The
// error says why it is no component that can be a canister.
func LinkComponent(uploaded []byte) ([]byte, error) {
	raw, err := rewrite.Raw(uploaded)
	if err != nil {
		return nil, fmt.Errorf("reading the component: %w", err)
	}
	if !rewrite.Begins(raw, components.Header) {
		return nil, errors.New("the file is not a component: its header is different")
	}
	module, err := components.Link(raw)
	if err != nil {
		return nil, err
	}
	_, err = rewrite.Rewrite(module, rewrite.Options{SystemAPI: theSignatures().systemAPI})
	var invalid *rewrite.Invalid
	switch {
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("checking the linked module: %s", invalid.Message())
	case err != nil:
		return nil, fmt.Errorf("checking the linked module: %w", err)
	}
	return module, nil
}

// rewriteLinked rewrites a module as uploaded. A component is linked before.
func rewriteLinked(uploaded []byte, options rewrite.Options) (*rewrite.Module, error) {
	m, err := rewrite.Rewrite(uploaded, options)
	var refused *rewrite.Invalid
	if !errors.As(err, &refused) || !rewrite.Begins(uploaded, components.Header) {
		return m, err
	}
	raw, err := rewrite.Raw(uploaded)
	if err != nil {
		return nil, refused // it is too large, or its compression is damaged
	}
	m = linkedModule(raw, options)
	m.Refusal, m.Component = refused.Message(), true
	m.Hash, m.UploadedSize, m.Size = rewrite.Hash(uploaded), len(uploaded), len(raw)
	return m, nil
}

// linkedModule links a component and rewrites the module. It has a Fault if the component cannot be a canister.
func linkedModule(raw []byte, options rewrite.Options) *rewrite.Module {
	linked, err := components.Link(raw)
	if err != nil {
		return &rewrite.Module{Fault: "The component cannot be a canister: " + err.Error() + "."}
	}
	m, err := rewrite.Rewrite(linked, options)
	var invalid *rewrite.Invalid
	switch {
	case errors.As(err, &invalid):
		return &rewrite.Module{Fault: "The module that is linked of the component is not valid: " + invalid.Message()}
	case err != nil:
		return &rewrite.Module{Fault: "The module that is linked of the component cannot be read: " + err.Error()}
	}
	return m
}
