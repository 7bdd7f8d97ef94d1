package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// events is the service Events.
type events struct {
	controlv1.UnimplementedEventsServer
	*Server
}
