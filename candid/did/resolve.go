package did

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// resolve turns the definitions into types and checks them.
func (b *builder) resolve() error {
	defines := make(map[string]func(*candid.Type), len(b.file.defs))
	for _, d := range b.file.defs {
		if _, twice := b.file.types[d.name]; twice {
			return d.fail("the type %s is defined twice", d.name)
		}
		b.file.types[d.name], defines[d.name] = candid.Recursive(d.name)
	}
	if err := b.vacuous(); err != nil {
		return err
	}
	for _, d := range b.file.defs {
		if err := b.known(d.in, d.expr); err != nil {
			return err
		}
		t, err := candid.TypeFromSyntax(d.expr, b.file.Type)
		if err != nil {
			return d.fail("the type %s: %v", d.name, err)
		}
		defines[d.name](t)
	}
	for _, d := range b.file.defs {
		if err := b.methodsAreFuncs(d.in, d.expr); err != nil {
			return err
		}
	}
	return b.services()
}

func (d definition) fail(format string, args ...any) error {
	return d.in.fail(d.pos, format, args...)
}

func (s *source) fail(pos int, format string, args ...any) error {
	err := s.parser.Fail(pos, format, args...)
	if s.name == "" {
		return err
	}
	return fmt.Errorf("in the imported file %q: %w", s.name, err)
}

// vacuous rejects definitions that only refer to each other: type A = B; type B = A.
func (b *builder) vacuous() error {
	alias := make(map[string]string)
	for _, d := range b.file.defs {
		if d.expr.Op == "" {
			alias[d.name] = d.expr.Name
		}
	}
	ends := make(map[string]bool) // names that lead somewhere
	for _, d := range b.file.defs {
		var path []string
		onPath := make(map[string]bool)
		for name := d.name; !ends[name]; {
			if onPath[name] {
				return d.fail("the type %s is defined by nothing but itself", name)
			}
			onPath[name] = true
			path = append(path, name)
			next, isAlias := alias[name]
			if !isAlias {
				break
			}
			name = next
		}
		for _, name := range path {
			ends[name] = true
		}
	}
	return nil
}

// walk calls visit for the expression and all its parts.
func walk(e *syntax.Type, visit func(e *syntax.Type) error) error {
	if e == nil {
		return nil
	}
	if err := visit(e); err != nil {
		return err
	}
	if err := walk(e.Elem, visit); err != nil {
		return err
	}
	for _, f := range e.Fields {
		if err := walk(f.Type, visit); err != nil {
			return err
		}
	}
	for _, m := range e.Methods {
		if err := walk(m.Type, visit); err != nil {
			return err
		}
	}
	if e.Func == nil {
		return nil
	}
	for _, list := range [][]syntax.Arg{e.Func.Args, e.Func.Results} {
		for _, a := range list {
			if err := walk(a.Type, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// known checks that every name in the expression is defined, to report where one is not.
func (b *builder) known(in *source, e *syntax.Type) error {
	return walk(e, func(e *syntax.Type) error {
		if _, ok := b.file.types[e.Name]; e.Op == "" && !ok {
			return in.fail(e.Pos, "the type %s is not defined", e.Name)
		}
		return nil
	})
}

// methodsAreFuncs checks methods whose type is a name.
func (b *builder) methodsAreFuncs(in *source, e *syntax.Type) error {
	return walk(e, func(e *syntax.Type) error {
		for _, m := range e.Methods {
			if m.Type.Op != "" {
				continue
			}
			if k := b.file.types[m.Type.Name].Kind(); k != candid.KindFunc {
				return in.fail(m.Pos, "the method %s has the type %s, which is a %s and not a func", syntax.Name(m.Name), m.Type.Name, k)
			}
		}
		return nil
	})
}

// services makes the type of the main service, including the services it imports.
func (b *builder) services() error {
	main := b.file.main
	if main == nil && len(b.file.bases) > 0 {
		main = &mainService{expr: &syntax.Type{Op: "service"}, in: b.file.bases[0].in}
		b.file.main = main
	}
	if main == nil {
		return nil
	}
	service, err := b.serviceType(main)
	if err != nil {
		return err
	}
	methods := append([]candid.Method(nil), service.Methods()...)
	for _, base := range b.file.bases {
		t, err := b.serviceType(base)
		if err != nil {
			return err
		}
		methods = append(methods, t.Methods()...)
	}
	if len(b.file.bases) > 0 {
		if service, err = candid.ServiceOf(methods...); err != nil {
			return main.in.fail(main.expr.Pos, "%v", err)
		}
	}
	b.file.service = service
	return b.initArgs(main)
}

func (b *builder) serviceType(s *mainService) (*candid.Type, error) {
	if err := b.known(s.in, s.expr); err != nil {
		return nil, err
	}
	if err := b.methodsAreFuncs(s.in, s.expr); err != nil {
		return nil, err
	}
	t, err := candid.TypeFromSyntax(s.expr, b.file.Type)
	if err != nil {
		return nil, s.in.fail(s.expr.Pos, "the service: %v", err)
	}
	if t.Kind() != candid.KindService {
		return nil, s.in.fail(s.expr.Pos, "the service is given by the type %s, which is a %s", s.expr.Name, t.Kind())
	}
	return t, nil
}

func (b *builder) initArgs(main *mainService) error {
	b.file.hasInit = main.hasInit
	for _, a := range main.init {
		if err := b.known(main.initIn, a.Type); err != nil {
			return err
		}
		if err := b.methodsAreFuncs(main.initIn, a.Type); err != nil {
			return err
		}
	}
	types, names, err := candid.ArgsFromSyntax(main.init, b.file.Type)
	if err != nil {
		return main.in.fail(main.expr.Pos, "the arguments of the service: %v", err)
	}
	b.file.init = argsOf(types, names)
	return nil
}
