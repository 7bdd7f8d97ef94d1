package control

import (
	"context"
	"io"

	"github.com/canisterd/canisterd/instance"
)

// Registry is what the API needs from the instances of a daemon: *instance.Registry implements it.
type Registry interface {
	Instance(name string) (*instance.Instance, error)
	Instances() []*instance.Instance
	Create(ctx context.Context, spec *instance.Spec) (*instance.Instance, error)
	Fork(ctx context.Context, spec *instance.ForkSpec) (*instance.Instance, error)
	Import(ctx context.Context, spec *instance.ImportSpec, file io.Reader) (*instance.Instance, error)
	Delete(name string) error
	ModuleByHash(hash [32]byte, reserve func(bytes int64) error) ([]byte, error)
	Lease() (id string, end func())
}
