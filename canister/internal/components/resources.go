package components

import (
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// resourceFunction returns a function of a resource that the component defines. It calls that of the runtime, which also gets the
// number of the resource. The destructor runs after the handle is gone.
func (l *linker) resourceFunction(c *component.Canon, typ string) uint32 {
	number, ok := l.ownResources[c.Own]
	if !ok {
		number = int32(len(l.ownResources) + 1)
		l.ownResources[c.Own] = number
	}
	place := l.add(c.Name, typ, nil)
	call := code{}.get(0).i32(number)
	switch c.Name {
	case "resource.new", "resource.rep":
		call = call.call(l.of(c.Name))
	default:
		call = call.call(l.of("resource.remove"))
		if c.Own.Destructor != nil {
			call = call.call(l.function(*c.Own.Destructor))
		} else {
			call = call.op(wasmfile.OpDrop)
		}
	}
	l.setBody(place, 0, call)
	return place
}
