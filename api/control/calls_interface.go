package control

import (
	"context"
	"errors"
	"sync"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
)

const (
	// interfaceSection is the metadata with a canister's interface, interfaceQuery the method with which older
	// canisters return it.
	interfaceSection = did.InterfaceSection
	interfaceQuery   = "__get_candid_interface_tmp_hack"
)

// described is an interface, or why it cannot be read.
type described struct {
	text string
	file *did.File
	err  error
}

// interfaces remembers the interfaces of modules: the interface of a module never changes.
type interfaces struct {
	mu     sync.Mutex // guards what follows
	known  map[[32]byte]described
	oldest [][32]byte // in the order of arrival
}

func (c *interfaces) find(module [32]byte) (described, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.known[module]
	return d, ok
}

func (c *interfaces) keep(module [32]byte, d described) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[[32]byte]described)
	}
	if _, ok := c.known[module]; ok {
		return
	}
	if len(c.oldest) == MaxInterfaces {
		delete(c.known, c.oldest[0])
		c.oldest = c.oldest[1:]
	}
	c.known[module], c.oldest = d, append(c.oldest, module)
}

// interfaceOf returns the interface of a canister.
func (s *Server) interfaceOf(ctx context.Context, i *instance.Instance, id principal.Principal) (*did.File, error) {
	d, err := s.describedBy(ctx, i, id)
	if err != nil {
		return nil, err
	}
	if d.err != nil {
		return nil, badInterface.Refuse(id, d.err)
	}
	return d.file, nil
}

// describedBy returns the interface of a canister, readable or not. The error is a refusal if there is none.
func (s *Server) describedBy(ctx context.Context, i *instance.Instance, id principal.Principal) (described, error) {
	if id == principal.Management {
		return managementInterface(), nil
	}
	module := i.Driver().Module(id)
	if module == nil {
		return described{}, noInterface.Refuse(id)
	}
	d, ok := s.interfaces.find(module.Hash())
	if ok {
		return d, nil
	}
	var err error
	if d.text, err = said(ctx, i, id, module); err != nil {
		return described{}, err
	}
	args, _ := module.Section(did.InitSection)
	d.file, d.err = parseInterface(d.text, string(args.Content))
	s.interfaces.keep(module.Hash(), d)
	return d, nil
}

// parseInterface parses an interface and the arguments of its installation, "" if only the interface has them.
func parseInterface(text, args string) (*did.File, error) {
	if args == "" {
		return did.Parse(text)
	}
	return did.ParseWithInit(text, args)
}

// managementInterface is the interface of the management canister, which has no module.
var managementInterface = sync.OnceValue(func() described {
	text := replica.ManagementInterface()
	file, err := did.Parse(text)
	return described{text, file, err}
})

// said returns the interface as the canister states it.
func said(ctx context.Context, i *instance.Instance, id principal.Principal, module *canister.Module) (string, error) {
	if section, ok := module.Section(interfaceSection); ok {
		return string(section.Content), nil
	}
	if module.Method(interfaceQuery) != canister.QueryMethod {
		return "", noInterface.Refuse(id)
	}
	result, err := i.Backend().Query(ctx, &api.Query{
		Sender: principal.Anonymous, Receiver: id, Effective: id, Method: interfaceQuery, Arg: noArguments,
	})
	if err != nil {
		return "", err
	}
	var text string
	if result.Reject != nil {
		return "", noInterface.Refuse(id).With("reject", result.Reject.Text)
	}
	if err := candid.Unmarshal(result.Reply, &text); err != nil {
		return "", badInterface.Refuse(id, errors.New("the canister's answer is not a text"))
	}
	return text, nil
}
