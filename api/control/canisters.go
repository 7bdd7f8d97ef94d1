package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// canisters is the service Canisters.
type canisters struct {
	controlv1.UnimplementedCanistersServer
	*Server
}
