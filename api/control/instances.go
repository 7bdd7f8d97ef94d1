package control

import controlv1 "github.com/canisterd/canisterd/proto/control/v1"

// instances is the service Instances.
type instances struct {
	controlv1.UnimplementedInstancesServer
	*Server
}
