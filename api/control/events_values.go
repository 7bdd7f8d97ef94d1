package control

import (
	"context"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/internal/trace/values"
)

// readerOf decodes the arguments and replies in traces, by the present interfaces of canisters.
func (s *events) readerOf(ctx context.Context, i *instance.Instance, names trace.Names) *values.Reader {
	return &values.Reader{Names: names, Interface: func(id principal.Principal) *did.File {
		file, _ := s.interfaceOf(ctx, i, id) // without one, labels are numbers
		return file
	}}
}
