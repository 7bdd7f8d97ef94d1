package component

import (
	"context"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// host is what all instances of a tree of components share.
type host struct {
	ctx       context.Context // while instances are made
	component *Component
	modules   []api.Module // made for the tree, in their order
	instances int          // of components and core modules that were made
	memory    memoryBudget // of the tree
	dead      bool         // a call runs, or trapped
	busy      bool         // core code may run

	scheduler Scheduler
	testRules bool
	current   *thread    // that runs
	switchTo  *thread    // that runs when the current one is blocked
	ready     threadList // threads that may be resumed, in the order in which they became ready
	tasks     int        // calls that did not end
	stacks    []*stack
	idle      []*stack           // that no thread uses
	starts    map[*thread]func() // of threads that core code made and that did not run yet
	inbox     inbox
	life      context.Context // of functions of the host that finish later: it ends with the instance
	end       context.CancelFunc
	onIdle    func() bool // before a wait blocks; nil if the host wants none
	openEnds  int         // of streams and futures, that the host may use
}

// instanceState is an instance of a component.
type instanceState struct {
	indexSpaces[exportedItem, coreItem]
	host    *host
	scope   *scope
	parent  *instanceState   // that made it
	number  int              // in the order in which instances were made
	around  []*instanceState // the instance and its parents
	running bool             // a call is in it
	leaving bool             // it may call its imports and built-in functions
	handles table[handleItem]

	// Calls of its exported functions.
	plain          *lifted // what is no component function: start functions, destructors
	reallocThread  thread
	calls          uint32 // of its exported functions that were begun
	blocks         bool   // its core code may block
	threaded       bool   // its core code may ask for indices of threads
	threads        table[*thread]
	exclusive      *thread       // the thread that holds the instance exclusively; others run core code only if they need no exclusive use
	backpressure   int           // asynchronous calls wait while it is not zero
	starting       [2]threadList // calls that wait to start: those that need exclusive use, and others
	waitingToStart int
	excluded       threadList // threads that wait for the end of exclusive use

	// What the resources of the scope are in this instance.
	resources map[*resource]*resourceInstance

	coreInstances      []coreExportsOf
	imported, exported int // definitions that were made
	nested             int
	builtins           []builtin // functions of canonical definitions that were made
	builtinModule      api.Module
	exports            exportedItems
}

// coreModuleCode is a core module.
type coreModuleCode struct {
	code coreCode
	typ  *moduleType
}

// componentCode is a component with the index spaces that it was defined in, for outer aliases.
type componentCode struct {
	scope *scope
	outer *indexSpaces[exportedItem, coreItem]
}

// coreExportsOf are the exports of a core instance: those of a module of the engine.
type coreExportsOf struct {
	module   api.Module
	types    *coreExternMap
	direct   map[string]builtin
	memories map[string]api.Module // that export the other memories of an instance of a module with several
}

func (e coreExportsOf) item(name string) coreItem {
	typ, _ := e.types.find(name)
	module := e.module
	if memory, ok := e.memories[name]; ok {
		module = memory
	}
	return coreItem{module, name, typ, e.direct[name]}
}

// exportedItem is an export of an instance, or an argument. Only the field of its sort is set; a type that is no resource
// has none.
type exportedItem struct {
	module    *coreModuleCode
	function  *function
	component *componentCode
	instance  exportedItems
	resource  *resourceInstance
}

type exportedItems map[string]exportedItem

// instantiate makes an instance of a component with arguments.
func (h *host) instantiate(code *componentCode, parent *instanceState, args exportedItems) *instanceState {
	h.count()
	h.memory.charge(instanceBytes, "an instance of a component")
	s := &instanceState{
		indexSpaces: indexSpacesIn(code.outer), host: h, scope: code.scope, parent: parent, leaving: true,
		resources: map[*resource]*resourceInstance{}, exports: exportedItems{},
	}
	s.number = h.instances
	s.handles.memory, s.threads.memory = &h.memory, &h.memory
	s.around = s.entered(nil)
	s.blocks, s.threaded = code.scope.usesThreads()
	s.plain = &lifted{instance: s, typ: &funcType{}, blocks: s.blocks}
	s.reallocThread.task = &task{lifted: s.plain}
	s.makeBuiltins()
	for _, d := range code.scope.definitions {
		h.memory.charge(definitionBytes, "a definition of a component")
		s.define(d.body, args)
	}
	return s
}

// count counts an instance: components that instantiate others many times could make any number of them.
func (h *host) count() {
	h.instances++
	if h.instances > maxTreeInstances {
		trap("the component makes more than the limit of %d instances", maxTreeInstances)
	}
}

func (s *instanceState) chargeItems(n int) {
	s.host.memory.charge(itemBytes*uint64(n), "the items of an instance")
}

func (s *instanceState) define(body any, args exportedItems) {
	switch body := body.(type) {
	case coreModule:
		typ := s.scope.coreModules[len(s.items[sortCoreModule])]
		s.add(sortCoreModule, exportedItem{module: &coreModuleCode{s.host.component.code[&body.data[0]], typ}})
	case coreInstance:
		s.coreInstances = append(s.coreInstances, s.coreInstance(body))
	case nested:
		s.add(sortComponent, exportedItem{component: &componentCode{s.scope.nested[s.nested], &s.indexSpaces}})
		s.nested++
	case instance:
		s.addInstance(s.instance(body))
	case exportAlias:
		s.add(body.sort, s.items[sortInstance][body.instance].instance[body.name])
	case coreExportAlias:
		s.addCore(body.sort, s.coreInstances[body.instance].item(body.name))
	case outerAlias:
		s.outerAlias(body)
	case typeDef:
		s.add(sortType, exportedItem{resource: s.defineResource(body.body)})
	case canonDef:
		s.canonical(body)
	case importDef:
		declared := s.scope.imports.items[s.imported]
		s.imported++
		s.bind(declared.entity, args[declared.name])
		s.add(declared.sort, args[declared.name])
	case exportDef:
		declared := s.scope.exports.items[s.exported]
		s.exported++
		item := s.item(body.item)
		s.bind(declared.entity, item)
		s.exports[declared.name] = item
		s.add(declared.sort, item)
	}
}

// bind records what the resources in the type of an item are.
func (s *instanceState) bind(e entity, item exportedItem) {
	switch t := e.typ.(type) {
	case *resourceType:
		s.resources[t.resource] = item.resource
	case *instanceType:
		if e.sort != sortInstance {
			return
		}
		for _, export := range t.exports.items {
			s.bind(export.entity, item.instance[export.name])
		}
	}
}

func (s *instanceState) addInstance(exports exportedItems) {
	item := exportedItem{instance: exports}
	s.bind(entity{sort: sortInstance, typ: s.scope.instances[len(s.items[sortInstance])]}, item)
	s.add(sortInstance, item)
}

func (s *instanceState) instance(d instance) exportedItems {
	switch e := d.expression.(type) {
	case instantiate:
		s.chargeItems(len(e.args))
		args := exportedItems{}
		for _, arg := range e.args {
			args[arg.name] = s.item(arg.item)
		}
		return s.host.instantiate(s.items[sortComponent][e.component].component, s, args).exports
	case inlineExports:
		s.chargeItems(len(e.exports))
		exports := exportedItems{}
		for _, export := range e.exports {
			exports[export.name.name] = s.item(export.item)
		}
		return exports
	}
	return nil
}

func (s *instanceState) coreInstance(d coreInstance) coreExportsOf {
	types := s.scope.coreInstances[len(s.coreInstances)]
	switch e := d.expression.(type) {
	case coreInstantiate:
		s.chargeItems(len(e.args))
		args := map[string]coreExportsOf{}
		for _, arg := range e.args {
			args[arg.name] = s.coreInstances[arg.item.index]
		}
		s.host.count()
		code := s.items[sortCoreModule][e.module].module
		var main api.Module
		s.runNested(func() error {
			main = s.instantiatePart(e.module, code.code.main, func(name string) api.Module { return args[name].supplies(code.typ, name) })
			return nil
		})
		return coreExportsOf{module: main, types: types, memories: s.joinMemories(e.module, main, code.code.memories, args)}
	case coreExports:
		s.chargeItems(len(e.exports))
		exports := coreExportsOf{types: types, direct: map[string]builtin{}}
		items, names := make([]coreItem, len(e.exports)), make([]string, len(e.exports))
		for i, export := range e.exports {
			items[i], names[i] = s.coreItem(export.item), export.name
			if items[i].direct != nil {
				exports.direct[export.name] = items[i].direct
			}
		}
		exports.module = s.link(items, func(w *linkWriter) { w.export(names) })
		return exports
	}
	return coreExportsOf{}
}

// joinMemories makes the other memories of a core instance, and gives the modules that export them.
func (s *instanceState) joinMemories(index uint32, main api.Module, memories []memoryCode, args map[string]coreExportsOf) map[string]api.Module {
	exports := map[string]api.Module{}
	for _, m := range memories {
		s.host.count()
		module := s.instantiatePart(index, m.corePart, func(name string) api.Module {
			if importPrefix+name == tableModule {
				return main
			}
			return args[m.from].item(m.name).module
		})
		for _, name := range m.exports {
			exports[name] = module
		}
	}
	return exports
}

// supplies gives the module that a core module imports from under a name.
func (e coreExportsOf) supplies(typ *moduleType, name string) api.Module {
	var memory api.Module
	others := 0
	for _, i := range typ.imports {
		if i.module == name {
			if m, ok := e.memories[i.name]; ok {
				memory = m
			} else {
				others++
			}
		}
	}
	if memory == nil {
		return e.module
	}
	if others > 0 {
		trap("importing the second memory of a core instance together with other items of it is not supported")
	}
	return memory
}

// instantiatePart makes an instance of a core module of the component.
func (s *instanceState) instantiatePart(module uint32, part corePart, resolve func(name string) api.Module) api.Module {
	return s.instantiateCore(s.host.memory.admit(s.host.ctx, part.costs, module), part.compiled, resolve)
}

// instantiateCore makes an instance of a core module. Names of imported modules have a prefix ([forEngine]).
func (s *instanceState) instantiateCore(ctx context.Context, code wazero.CompiledModule, resolve func(name string) api.Module) api.Module {
	ctx = experimental.WithImportResolver(ctx, func(name string) api.Module {
		return resolve(strings.TrimPrefix(name, importPrefix))
	})
	module, err := s.host.instantiateCore(ctx, code)
	rethrow(err)
	return module
}

func (s *instanceState) defineResource(body any) *resourceInstance {
	d, ok := body.(resourceDef)
	if !ok {
		return nil
	}
	r := &resourceInstance{owner: s}
	if d.destructor != nil {
		r.destructor = s.callable(*d.destructor)
	}
	s.resources[s.scope.types[len(s.items[sortType])].(*resourceType).resource] = r
	return r
}

func builtinName(i int) string { return strconv.Itoa(i) }
