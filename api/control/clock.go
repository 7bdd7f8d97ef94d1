package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// clock is the service Clock.
type clock struct {
	controlv1.UnimplementedClockServer
	*Server
}
