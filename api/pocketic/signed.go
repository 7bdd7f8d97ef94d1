package pocketic

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// signedInterface is the HTTP interface of the Internet Computer of an instance. An authentic call that makes a
// canister adds the subnet of mainnet that hosts its effective canister id, as in PocketIC.
func (e *entry) signedInterface() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id, ok := e.uncommonID(r); ok {
			r = e.bringSubnet(r, id)
		}
		e.instance.API().ServeHTTP(w, r)
	})
}

// uncommonID returns the effective canister id of a call if it is one of mainnet that no subnet of the instance hosts.
func (e *entry) uncommonID(r *http.Request) (id principal.Principal, ok bool) {
	parts := strings.Split(r.URL.Path, "/") // /api/v2/canister/ID/call
	if origin.ForeignHeader(r) != "" {
		return id, false // the interface refuses it
	}
	if r.Method != http.MethodPost || len(parts) != 6 || parts[3] != "canister" || parts[5] != "call" {
		return id, false
	}
	id, err := principal.Parse(parts[4])
	if err != nil || e.instance.Driver().View().SubnetOf(id) != nil {
		return id, false
	}
	_, ok = mainnetSubnet(id)
	return id, ok
}

// bringSubnet adds the subnet that hosts an id if a request is a call that makes a canister. It returns a request with
// the same body. On any error, the interface refuses the call because the id has no subnet.
func (e *entry) bringSubnet(r *http.Request, id principal.Principal) *http.Request {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCreateBytes))
	again := r.WithContext(r.Context())
	again.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	if err != nil {
		return again
	}
	call, err := wire.DecodeCall(body)
	if err != nil || call.CanisterID != principal.Management || !replica.FindManagementMethod(call.MethodName).AnyHost {
		return again
	}
	e.run("create_subnet", func(ctx context.Context, e *entry, _ []byte) (any, error) {
		if _, found := e.hostOf(ctx, id); found || !e.authentic(ctx, call) {
			return nil, nil
		}
		return nil, e.addMainnetSubnet(ctx, id)
	}, nil)
	return again
}

// authentic reports whether a call is from its sender, and not too late.
func (e *entry) authentic(ctx context.Context, call *wire.Call) bool {
	now, err := e.now(ctx)
	if err != nil || wire.CheckExpiry(call.IngressExpiry, now, false) != nil {
		return false
	}
	trust, err := wire.NewTrust(e.instance.Driver().View().RootKey, certify.MainnetRootKey())
	if err != nil {
		return false
	}
	_, err = wire.Authenticate(call, now, trust)
	return err == nil
}
