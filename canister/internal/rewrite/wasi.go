package rewrite

import "strings"

const (
	// WASIModule is the import module of WASI preview 1.
	WASIModule = "wasi_snapshot_preview1"
	// InitializeFunction is the export that a WASI reactor wants called before any other. It replaces the start
	// function.
	InitializeFunction = "_initialize"
)

// admitWASI reports whether the module may break a rule because it needs WASI: it imports functions of WASI, or names
// its methods as a compiler that cannot use spaces does. From then on, the rules with WASI apply.
func (s *source) admitWASI(broken *Invalid) bool {
	if s.options.WASI == nil || s.wide() || broken.Rule != RuleImports && broken.Rule != RuleExports {
		return false
	}
	for _, item := range s.imports {
		s.wasi = s.wasi || item.module == WASIModule
	}
	for _, e := range s.exports {
		_, taken := underscored(e.name)
		s.wasi = s.wasi || taken && e.kind == kindFunction
	}
	return s.wasi
}

// checkWASIImport checks an import from WASIModule.
func (s *source) checkWASIImport(item importItem) *Invalid {
	params, results, known := s.options.WASI(item.name)
	if !known {
		bad := invalid(RuleImports, "Wasm module has an invalid import section. Module imports function '%s' from '%s' that the feature wasi does not have.",
			item.name, item.module)
		bad.help = "The feature has the functions of standard streams, clocks, randomness and the environment; it has no file system."
		return bad
	}
	return checkSignature(item.name, s.types[item.index], letters(params), letters(results))
}

// exportsFunction reports whether the module exports a function with a name.
func (s *source) exportsFunction(name string) bool {
	for _, e := range s.exports {
		if e.kind == kindFunction && e.name == name {
			return true
		}
	}
	return false
}

// underscored splits the name of a method that has an underscore where the Internet Computer expects a space.
func underscored(export string) (Method, bool) {
	for _, p := range methodPrefixes {
		if name, ok := strings.CutPrefix(export, strings.TrimSuffix(p.text, " ")+"_"); ok {
			return Method{p.kind, name, export}, true
		}
	}
	return Method{}, false
}
