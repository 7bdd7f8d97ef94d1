package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// flights is the service Flights.
type flights struct {
	controlv1.UnimplementedFlightsServer
	*Server
}
