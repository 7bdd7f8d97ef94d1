package demangle

import "strings"

// Name returns the readable form of a function's name: a Rust symbol without its hash, or any other name unchanged.
func Name(name string) string {
	name = cutLLVM(name)
	text, suffix, ok := legacy(name)
	if !ok {
		text, suffix, ok = v0(name)
	}
	if !ok || suffix != "" && !isSuffix(suffix) {
		return name
	}
	return text + suffix
}

// cutLLVM removes what ThinLTO appends to a symbol that it imports into another unit.
func cutLLVM(name string) string {
	const mark = ".llvm."
	if at := strings.Index(name, mark); at >= 0 && strings.Trim(name[at+len(mark):], "0123456789ABCDEF@") == "" {
		return name[:at]
	}
	return name
}

// isSuffix reports whether a text consists of words that LLVM appends to a symbol, each after a period. They are kept.
func isSuffix(text string) bool {
	return text[0] == '.' && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// cutPrefix removes the first prefix that the name has.
func cutPrefix(name string, prefixes ...string) (string, bool) {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest, true
		}
	}
	return "", false
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}
