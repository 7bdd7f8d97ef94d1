package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// calls is the service Calls.
type calls struct {
	controlv1.UnimplementedCallsServer
	*Server
}
