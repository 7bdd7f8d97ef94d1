package rewrite

import (
	"slices"
	"strings"
)

// checkRules checks the module against the Internet Computer's rules, in the replica's order. The type rules are
// already known to hold.
func (s *source) checkRules(code *codeWriter) *Invalid {
	for _, check := range []func() *Invalid{
		s.checkImports, s.checkExports, s.checkData, s.checkGlobals, s.checkFunctions, s.checkMemory,
		func() *Invalid { return code.violation },
		s.checkNames, s.checkCustom, s.checkDataFits, s.checkTables, s.checkElementsFit,
	} {
		if bad := check(); bad != nil {
			return bad
		}
	}
	return nil
}

func (s *source) checkImports() *Invalid {
	const text = "Wasm module has an invalid import section. "
	for _, item := range s.imports {
		switch item.kind {
		case kindFunction:
			if bad := s.checkImport(item); bad != nil {
				return bad
			}
		case kindTable:
			return invalid(RuleImports, text+"Importing tables is not allowed.")
		case kindMemory:
			return invalid(RuleImports, text+"Importing memory is not allowed.")
		default:
			return invalid(RuleImports, text+"Importing globals is not allowed.")
		}
	}
	return nil
}

func (s *source) checkImport(item importItem) *Invalid {
	if s.wasi && item.module == WASIModule {
		return s.checkWASIImport(item)
	}
	const text = "Wasm module has an invalid import section. "
	params, results, known := s.options.SystemAPI(item.name, s.wide())
	switch {
	case !known:
		return invalid(RuleImports, text+"Module imports function '%s' from '%s' that is not exported by the runtime.", item.name, item.module)
	case item.module != SystemModule:
		return invalid(RuleImports, text+"Module imports function %q from %q, expected to be imported from one of [%q] instead.",
			item.name, item.module, SystemModule)
	}
	return checkSignature(item.name, s.types[item.index], letters(params), letters(results))
}

func letters(encoded []byte) string {
	out := make([]byte, 0, len(encoded))
	for _, b := range encoded {
		if t, ok := decodeType(b); ok {
			out = append(out, byte(t))
		}
	}
	return string(out)
}

// typeNames prints a type list as a replica does: [I32, I64].
func typeNames(types string) string {
	names := make([]string, len(types))
	for i := range len(types) {
		switch t := valueType(types[i]); t {
		case typeFunc:
			names[i] = "Ref(funcref)"
		case typeExtern:
			names[i] = "Ref(externref)"
		default:
			names[i] = strings.ToUpper(t.String())
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func checkSignature(name string, got funcType, params, results string) *Invalid {
	const text = "Wasm module has an invalid function signature. "
	if got.params != params {
		return invalid(RuleSignature, text+"Expected input params %s for '%s', got %s.", typeNames(params), name, typeNames(got.params))
	}
	if got.results != results {
		return invalid(RuleSignature, text+"Expected return type %s for '%s', got %s.", typeNames(results), name, typeNames(got.results))
	}
	return nil
}

var reservedExports = []string{
	"canister counter_instructions", "canister_start", "canister counter_dirty_pages", "canister counter_accessed_pages",
	"stable_memory", "stable_bytemap_memory",
}

var methodPrefixes = [...]struct {
	text string
	kind Kind
}{
	{"canister_update ", Update},
	{"canister_query ", Query},
	{"canister_composite_query ", CompositeQuery},
}

// method splits the export name of a method.
func (s *source) method(export string) (Method, bool) {
	for _, p := range methodPrefixes {
		if name, ok := strings.CutPrefix(export, p.text); ok {
			return Method{p.kind, name, export}, true
		}
	}
	if s.wasi {
		return underscored(export)
	}
	return Method{}, false
}

// set records a system entry point, and reports whether the name is one.
func (e *Entries) set(name string) bool {
	switch name {
	case "canister_init":
		e.Init = true
	case "canister_pre_upgrade":
		e.PreUpgrade = true
	case "canister_post_upgrade":
		e.PostUpgrade = true
	case "canister_inspect_message":
		e.InspectMessage = true
	case "canister_heartbeat":
		e.Heartbeat = true
	case "canister_global_timer":
		e.GlobalTimer = true
	case "canister_on_low_wasm_memory":
		e.OnLowWasmMemory = true
	default:
		return false
	}
	return true
}

func (s *source) checkExports() *Invalid {
	const text = "Wasm module has an invalid export section. "
	seen := make(map[string]struct{})
	count, bytes := 0, 0
	var entries Entries
	for _, e := range s.exports {
		if slices.Contains(reservedExports, e.name) {
			return invalid(RuleExports, text+"Exporting reserved symbol %s not allowed.", e.name)
		}
		if e.kind != kindFunction {
			continue
		}
		m, isMethod := s.method(e.name)
		switch {
		case isMethod:
			if _, dup := seen[m.Name]; dup {
				return duplicateExport(m.Name)
			}
			seen[m.Name] = struct{}{}
			count++
			bytes += len(m.Name)
		case s.wasi && e.name == InitializeFunction:
		case !strings.HasPrefix(e.name, "canister_"):
			continue
		case !entries.set(e.name):
			return invalid(RuleExports, text+"Exporting reserved function '%s' with \"canister_\" prefix", e.name)
		}
		if bad := checkSignature(e.name, s.types[s.functions[e.index]], "", ""); bad != nil {
			return bad
		}
	}
	return checkMethodTotals(count, bytes)
}

func duplicateExport(name string) *Invalid {
	return invalid(RuleDuplicateExport, "Duplicate function '%s' exported multiple times with different call types: update, query, or composite_query.", name).
		advise("Try defining different versions of the function for each call type, e.g. `"+name+"_update`, `"+name+"_query`, etc.",
			"wasm-module-duplicate-exports")
}

func checkMethodTotals(count, bytes int) *Invalid {
	const which = "functions called `canister_update <name>`, `canister_query <name>`, or `canister_composite_query <name>` is"
	if count > maxMethods {
		return invalid(RuleMethodCount, "The number of exported %s %d which exceeds %d.", which, count, maxMethods).
			advise("Try combining multiple endpoints into a single endpoint.", "wasm-module-exports-too-many-methods")
	}
	if bytes > maxMethodNameBytes {
		return invalid(RuleMethodNames, "The sum of `<name>` lengths in exported %s %d which exceeds the allowed limit of %d.", which, bytes, maxMethodNameBytes).
			advise("Try using shorter method names.", "wasm-module-sum-of-exported-name-lengths-too-large")
	}
	return nil
}

func (s *source) checkData() *Invalid {
	for _, d := range s.data {
		if !d.active {
			continue
		}
		if bits := "32"; d.offset.opcode != opI32Const && d.offset.opcode != opI64Const {
			if s.wide() {
				bits = "64"
			}
			return invalid(RuleData, "Wasm module has an invalid data section. Invalid offset expression in data segment for %sbit memory: GlobalGet { global_index: %d }",
				bits, d.offset.index)
		}
	}
	return nil
}

func (s *source) checkGlobals() *Invalid {
	if n := len(s.globals); n > maxGlobals {
		return invalid(RuleGlobalCount, "Wasm module defined %d globals which exceeds the maximum number allowed %d.", n, maxGlobals).
			advise("Try collecting multiple globals into a single structured which can be stored on the heap.", "wasm-module-too-many-globals")
	}
	for _, g := range s.globals {
		if g.value.reference() {
			return invalid(RuleGlobals, "Wasm module has an invalid global section. Unsupported global type: %s", strings.Trim(typeNames(string(g.value)), "[]"))
		}
	}
	return nil
}

func (s *source) checkFunctions() *Invalid {
	if n := len(s.functions) - s.importedFunctions; n > maxFunctions {
		return invalid(RuleFunctionCount, "Wasm module defined %d functions which exceeds the maximum number allowed %d.", n, maxFunctions).
			advise("Try spliting this canister into multiple canisters.", "wasm-module-too-many-functions")
	}
	return nil
}

func (s *source) checkMemory() *Invalid {
	if len(s.memories) == 0 || !s.wide() {
		return nil
	}
	m := s.memories[0]
	if m.hasMax && m.max > wideSpecPages {
		return invalid(RuleMemorySize, "Wasm module defined a memory of maximum size %d pages which exceeds the maximum allowed size of %d pages.", m.max, wideSpecPages)
	}
	if m.min > wideMaxPages {
		return invalid(RuleMemorySize, "Wasm module declares %d pages of 64-bit memory to begin with; this replica holds at most %d (4 GiB less one page).", m.min, wideMaxPages)
	}
	return nil
}

// checkDataFits is a check of the replica's instrumentation, after validation.
func (s *source) checkDataFits() *Invalid {
	size := uint64(0)
	if len(s.memories) > 0 {
		size = s.memories[0].min * 65536
	}
	for _, d := range s.data {
		if n := uint64(len(d.bytes)); d.active && (d.offset.bits > size || n > size-d.offset.bits) {
			return invalid(RuleInstrumentation, "Wasm module has invalid data segment of %d bytes at %d", n, d.offset.bits)
		}
	}
	return nil
}

// checkElementsFit finds segments that trap when a replica makes an instance. The engine here would skip such a segment
// and all after it.
func (s *source) checkElementsFit() *Invalid {
	if s.elemBeyond {
		return &Invalid{Rule: RuleInstantiation, Detail: "wasm trap: undefined element: out of bounds table access"}
	}
	return nil
}

// checkTables checks what a replica's store rejects when it instantiates the module.
func (s *source) checkTables() *Invalid {
	if n := len(s.tables); n > maxTables {
		return invalid(RuleEngine, "Wasm module defines %d tables; a canister may have at most %d.", n, maxTables)
	}
	for _, t := range s.tables {
		if t.limits.min > maxTableElements {
			return invalid(RuleEngine, "Wasm module declares a table of %d elements; a canister's table may have at most %d.", t.limits.min, maxTableElements)
		}
	}
	return nil
}
