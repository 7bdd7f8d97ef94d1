package ic

import (
	"context"
	"unicode/utf8"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// readCanisterState serves POST /api/v2/canister/{ecid}/read_state and /api/v3/canister/{ecid}/read_state (interface
// specification, "Request: Read state").
func (h *Handler) readCanisterState(ctx context.Context, to *target, body []byte) ([]byte, error) {
	return h.readState(ctx, to, body, (*reader).canisterPath)
}

// canisterPath refuses paths that cannot be read by canister id.
func (r *reader) canisterPath(path certify.Path) error {
	if r.anywhere && (len(path) == 0 || path[0] != "request_status") {
		return api.NoHost.Refuse(principal.Management)
	}
	if len(path) > 2 && path[0] == "canister" {
		return r.ownCanister(path)
	}
	return r.commonPath(path)
}

// ownCanister allows the paths /canister/{cid}/… only for the canister of the URL.
func (r *reader) ownCanister(path certify.Path) error {
	switch path[2] {
	case "controllers", "module_hash", "canister_creation_timestamp", "last_install_timestamp":
		if len(path) == 3 {
			return r.effectiveOnly(path[1])
		}
	case "metadata":
		if len(path) == 4 {
			return r.section(path)
		}
	}
	return api.UnknownStatePath.Refuse()
}

// section checks a custom section of the module: a private one is for controllers.
func (r *reader) section(path certify.Path) error {
	name := string(path[3])
	if !utf8.ValidString(name) {
		return api.BadSectionName.Refuse(name)
	}
	if err := r.effectiveOnly(path[1]); err != nil {
		return err
	}
	if r.view.Private(r.effective, name) && !r.controls() {
		return api.PrivateSection.Refuse(name)
	}
	return nil
}
