package rewrite

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// scope splits the name of an icp: section.
func scope(section string) (name string, public, ok bool) {
	if name, ok = strings.CutPrefix(section, "icp:public "); ok {
		return name, true, true
	}
	name, ok = strings.CutPrefix(section, "icp:private ")
	return name, false, ok
}

func (s *source) checkCustom() *Invalid {
	const text = "Wasm module has an invalid custom section. "
	total, seen := 0, make(map[string]struct{})
	for _, c := range s.custom {
		if !strings.HasPrefix(c.name, "icp:") {
			continue
		}
		name, _, ok := scope(c.name)
		switch {
		case c.name == "icp:public" || c.name == "icp:private":
			return invalid(RuleCustom, text+"'icp:' section names must have a space after the public/private scope")
		case !ok:
			return invalid(RuleCustom, text+"Invalid custom section: Custom section '%s' has no public/private scope defined.", c.name)
		}
		if _, dup := seen[name]; dup {
			return invalid(RuleCustom, text+"Invalid custom section: name %s already exists", name)
		}
		if total += len(name) + len(c.content); total > maxCustomBytes {
			return invalid(RuleCustom, text+"Invalid custom sections: total size of the custom sections exceeds the maximum allowed: size %d bytes, allowed %d bytes",
				total, maxCustomBytes)
		}
		seen[name] = struct{}{}
		if len(seen) > maxCustomSections {
			return invalid(RuleCustomCount, "Wasm module defined %d custom sections which exceeds the maximum number allowed %d.", len(seen), maxCustomSections)
		}
	}
	return nil
}

func (s *source) icpSections() []CustomSection {
	var out []CustomSection
	for _, c := range s.custom {
		if name, public, ok := scope(c.name); ok {
			out = append(out, CustomSection{name, public, slices.Clone(c.content)})
		}
	}
	return out
}

// functionNames reads the function names of the name section; a malformed section ends the list without an error.
func (s *source) functionNames() []FunctionName {
	for _, c := range s.custom {
		if c.name != "name" {
			continue
		}
		for r := (&reader{data: c.content}); r.err == nil && !r.done(); {
			id := r.byte()
			sub := r.sub(int(r.u32()))
			if r.err == nil && id == 1 {
				return s.nameMap(&sub)
			}
		}
	}
	return nil
}

// nameMap reads names with ascending indices; all of them share one string.
func (s *source) nameMap(r *reader) []FunctionName {
	all, base := string(r.data[r.pos:]), r.pos
	n := r.count(maxEngineItems, "names")
	names := make([]FunctionName, 0, n)
	last := int64(-1)
	for range n {
		i := r.u32()
		size := r.u32()
		from := r.pos - base
		if b := r.bytes(int(size)); r.err != nil || int64(i) <= last || int64(i) >= int64(len(s.functions)) || !utf8.Valid(b) {
			break
		}
		last = int64(i)
		names = append(names, FunctionName{i, all[from : from+int(size)]})
	}
	return names
}

// appendNames appends a name section with the function names at their new indices, and those of added functions.
func (s *source) appendNames(out []byte, names []FunctionName, code *codeWriter) []byte {
	if len(names) == 0 {
		return out
	}
	count := uint32(0)
	var functions []byte
	add := func(index uint32, name string) {
		functions = appendName(appendU32(functions, index), name)
		count++
	}
	for _, n := range names {
		add(s.shifted(n.Index), n.Name)
	}
	for i, f := range code.added {
		add(code.firstAdded+uint32(i), f.name())
	}
	functions = append(appendU32(nil, count), functions...)
	content := appendSection(appendName(nil, "name"), 1, functions)
	return appendSection(out, sectionCustom, content)
}

// checkNames limits the names of functions; the text shows the beginning of the name.
func (s *source) checkNames() *Invalid {
	for _, n := range s.functionNames() {
		if len(n.Name) > maxFunctionNameSize {
			const shown = 20
			return invalid(RuleFunctionName, "Wasm module contains a function at index %d with name '%s...' of size %d bytes that exceeds the maximum allowed size of %d bytes.",
				n.Index, strings.ToValidUTF8(n.Name[:shown], ""), len(n.Name), maxFunctionNameSize).
				advise("Try using shorter function names.", "wasm-module-function-name-too-large")
		}
	}
	return nil
}
