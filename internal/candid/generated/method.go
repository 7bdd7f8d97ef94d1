package generated

import "strings"

// prefixes begin the names of methods that compilers add: Motoko's asynchronous blocks, garbage collection and
// stabilization.
var prefixes = []string{"__motoko_", "@motoko_"}

// Method reports whether a compiler has added the method with a name.
func Method(name string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Await reports whether an await of a canister, both sides written as CANISTER.METHOD, is for such a method of its own.
func Await(caller, callee string) bool {
	from, _, _ := strings.Cut(caller, ".")
	to, method, _ := strings.Cut(callee, ".")
	return from == to && Method(method)
}
