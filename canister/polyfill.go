package canister

import (
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/polyfill"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Polyfill turns a module that needs FeatureWASI, raw or gzip, into one that every canister may have: it imports only
// the System API. It contains the functions of WASI, which behave as with the feature; docs/wasi.md lists the
// differences. A module that does not need the feature is returned unchanged. The error says why the module is not
// valid, even with the feature.
func Polyfill(uploaded []byte) ([]byte, error) {
	raw, err := rewrite.Raw(uploaded)
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	all := theSignatures()
	m, err := rewrite.Rewrite(raw, rewrite.Options{SystemAPI: all.systemAPI, WASI: all.ofWASI})
	switch {
	case err != nil:
		return nil, fmt.Errorf("checking the module: %w", err)
	case m.Fault != "":
		return nil, errors.New(m.Fault)
	case m.Refusal == "":
		return raw, nil
	}
	out := polyfill.Link(raw)
	if _, err := rewrite.Rewrite(out, rewrite.Options{SystemAPI: all.systemAPI}); err != nil {
		return nil, fmt.Errorf("checking the module with the functions of WASI in it: %w", err)
	}
	return out, nil
}
