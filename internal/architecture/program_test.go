package architecture

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// program is what declarations say of this module: enough to follow locks and calls. Types are named by package and type.
type program struct {
	mutexes   map[string]string            // their comments, by package, type and field
	fields    map[string]map[string]string // types of fields, by type and field
	embedded  map[string][]string          // types that a type embeds
	functions map[string]*function         // by package and name, or package, type and name
}

// function is a function or method: the types of its variables, its first result, and what it does.
type function struct {
	source    *source
	body      *ast.BlockStmt
	variables map[string]string
	result    string
	points    []point
}

// point is a place in a function where a lock is taken or a function is called, with the locks that are held there.
type point struct {
	line int
	held []string
	lock string // that is taken; empty for a call
	call string // the function
}

// readProgram reads all declarations, then all functions.
func readProgram(t *testing.T) *program {
	t.Helper()
	p := &program{mutexes: mutexes(t), fields: map[string]map[string]string{}, embedded: map[string][]string{}, functions: map[string]*function{}}
	for _, s := range sources(t) {
		if s.test() || s.generated() {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				p.declareTypes(s, d)
			case *ast.FuncDecl:
				p.declareFunction(s, d)
			}
		}
	}
	for _, f := range p.functions {
		p.follow(f, f.body.List, nil)
	}
	return p
}

func (p *program) declareTypes(s *source, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		name := s.file.Name.Name + "." + spec.Name.Name
		p.fields[name] = map[string]string{}
		for _, field := range body.Fields.List {
			kind := typeName(s, field.Type)
			for _, one := range field.Names {
				p.fields[name][one.Name] = kind
			}
			if len(field.Names) == 0 && kind != "" {
				p.embedded[name] = append(p.embedded[name], kind)
				p.fields[name][path.Ext(kind)[1:]] = kind
			}
		}
	}
}

func (p *program) declareFunction(s *source, d *ast.FuncDecl) {
	if d.Body == nil {
		return
	}
	f := &function{source: s, body: d.Body, variables: map[string]string{}}
	name := s.file.Name.Name + "."
	if d.Recv != nil {
		name = typeName(s, d.Recv.List[0].Type) + "."
		f.declare(d.Recv)
	}
	f.declare(d.Type.Params)
	if results := d.Type.Results; results != nil {
		f.result = typeName(s, results.List[0].Type)
	}
	p.functions[name+d.Name.Name] = f
}

func (f *function) declare(list *ast.FieldList) {
	for _, field := range list.List {
		for _, name := range field.Names {
			f.variables[name.Name] = typeName(f.source, field.Type)
		}
	}
}

// typeName is the name of a type, also behind a pointer; empty for types without one.
func typeName(s *source, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(s, e.X)
	case *ast.IndexExpr:
		return typeName(s, e.X)
	case *ast.Ident:
		return s.file.Name.Name + "." + e.Name
	case *ast.SelectorExpr:
		if in, ok := e.X.(*ast.Ident); ok {
			return in.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// follow goes through statements. Locks that a nested block takes or releases count in that block alone.
func (p *program) follow(f *function, list []ast.Stmt, held []string) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			held = p.visit(f, s.X, held)
		case *ast.AssignStmt:
			p.visit(f, s, held)
			p.assign(f, s)
		case *ast.DeferStmt, *ast.GoStmt: // they run at another time
		default:
			for _, block := range blocksOf(s) {
				p.follow(f, block, slices.Clone(held))
			}
			p.visit(f, s, held)
		}
	}
}

// blocksOf are the statements inside a statement.
func blocksOf(s ast.Stmt) (blocks [][]ast.Stmt) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			blocks = append(blocks, n.List)
			return false
		case *ast.CaseClause:
			blocks = append(blocks, n.Body)
			return false
		case *ast.CommClause:
			blocks = append(blocks, n.Body)
			return false
		case *ast.FuncLit:
			return false
		}
		return true
	})
	return blocks
}

// visit finds the calls of an expression, or of a statement outside its blocks, and gives the locks that are held
// afterwards.
func (p *program) visit(f *function, n ast.Node, held []string) []string {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return false
		case *ast.CallExpr:
			line := f.source.line(n.Pos())
			lock, verb := p.lockOf(f, n)
			switch verb {
			case "Lock", "RLock":
				f.points = append(f.points, point{line: line, held: slices.Clone(held), lock: lock})
				held = append(slices.Clone(held), lock)
			case "Unlock", "RUnlock":
				held = slices.DeleteFunc(slices.Clone(held), func(one string) bool { return one == lock })
			default:
				if called := p.called(f, n); called != "" {
					f.points = append(f.points, point{line: line, held: slices.Clone(held), call: called})
				}
			}
		}
		return true
	})
	return held
}

// lockOf is the mutex whose method a call calls, with the name of the method.
func (p *program) lockOf(f *function, call *ast.CallExpr) (lock, verb string) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	field, ok := method.X.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	lock = p.typeOf(f, field.X) + "." + field.Sel.Name
	if _, is := p.mutexes[lock]; !is {
		return "", ""
	}
	return lock, method.Sel.Name
}

// called is the function that a call calls; empty if it is not known.
func (p *program) called(f *function, call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if name := f.source.file.Name.Name + "." + fun.Name; p.functions[name] != nil {
			return name
		}
	case *ast.SelectorExpr:
		if in, ok := fun.X.(*ast.Ident); ok && p.functions[in.Name+"."+fun.Sel.Name] != nil && f.variables[in.Name] == "" {
			return in.Name + "." + fun.Sel.Name
		}
		return p.method(p.typeOf(f, fun.X), fun.Sel.Name)
	}
	return ""
}

// method is a method of a type or of one that it embeds.
func (p *program) method(of, name string) string {
	if p.functions[of+"."+name] != nil {
		return of + "." + name
	}
	for _, inner := range p.embedded[of] {
		if found := p.method(inner, name); found != "" {
			return found
		}
	}
	return ""
}

// typeOf is the type of an expression; empty if it is not known.
func (p *program) typeOf(f *function, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return f.variables[e.Name]
	case *ast.ParenExpr:
		return p.typeOf(f, e.X)
	case *ast.StarExpr:
		return p.typeOf(f, e.X)
	case *ast.UnaryExpr:
		return p.typeOf(f, e.X)
	case *ast.CompositeLit:
		return typeName(f.source, e.Type)
	case *ast.SelectorExpr:
		return p.field(p.typeOf(f, e.X), e.Sel.Name)
	case *ast.CallExpr:
		if called := p.functions[p.called(f, e)]; called != nil {
			return called.result
		}
	}
	return ""
}

// field is the type of a field of a type or of one that it embeds.
func (p *program) field(of, name string) string {
	if kind := p.fields[of][name]; kind != "" {
		return kind
	}
	for _, inner := range p.embedded[of] {
		if kind := p.field(inner, name); kind != "" {
			return kind
		}
	}
	return ""
}

// assign remembers the types of variables that a statement declares: the first, which gets the first result.
func (p *program) assign(f *function, s *ast.AssignStmt) {
	if s.Tok != token.DEFINE {
		return
	}
	for i, left := range s.Lhs {
		name, ok := left.(*ast.Ident)
		if !ok || i >= len(s.Rhs) {
			continue
		}
		f.variables = maps.Clone(f.variables)
		f.variables[name.Name] = p.typeOf(f, s.Rhs[i])
	}
}

// TestTheReaderOfLocksFollowsCalls tries the reader on this module: it finds locks that calls take.
func TestTheReaderOfLocksFollowsCalls(t *testing.T) {
	for function, lock := range map[string]string{
		"instance.Instance.Restore": "instance.lineage.turn",
		"inprocess.shared.leave":    "instance.directory.mu", // by Registry.Close
	} {
		if taken := readProgram(t).takenByCalls()[function]; !slices.Contains(taken, lock) {
			t.Errorf("%s takes %s, want %s among them", function, strings.Join(taken, ", "), lock)
		}
	}
}
