package sourcelines

import (
	"path"
	"slices"
	"strings"
)

// under reports whether a path lies below a directory.
func under(directory, file string) bool {
	return directory != "" && strings.HasPrefix(file, strings.TrimSuffix(directory, "/")+"/")
}

// named returns the name of a file by its path: shortened, relative to the root if it lies below it.
func named(file, root string) string {
	file = path.Clean(file)
	if short := shortened(file); short != file {
		return short
	}
	if root = path.Clean(root); under(root, file) {
		return strings.TrimPrefix(file, strings.TrimSuffix(root, "/")+"/")
	}
	return file
}

// shortened cuts what differs between computers and versions from paths of the standard library and of packages.
func shortened(file string) string {
	for _, prefix := range []string{"/rustc/", "/usr/src/rustc-"} { // as rust-lang.org builds it, and Debian
		if rest, ok := strings.CutPrefix(file, prefix); ok {
			if _, rest, ok = strings.Cut(rest, "/"); ok && strings.HasPrefix(rest, "library/") {
				return "/rustc/" + rest
			}
		}
	}
	if _, rest, ok := strings.Cut(file, "/lib/rustlib/src/rust/"); ok { // built with -Z build-std
		return "/rustc/" + rest
	}
	if rest, ok := strings.CutPrefix(file, "/rust/deps/"); ok { // packages in the standard library
		return rest
	}
	if _, rest, ok := strings.Cut(file, "/registry/src/"); ok {
		if _, crate, ok := strings.Cut(rest, "/"); ok {
			return crate
		}
	}
	if _, rest, ok := strings.Cut(file, "/git/checkouts/"); ok {
		return rest
	}
	for _, folder := range packageFolders() {
		if at := strings.Index(file, "/"+folder+"/"); at >= 0 {
			return file[at+1:]
		}
	}
	return file
}

// packageFolders are folders in which package managers keep what others wrote: mops, vessel, dfx, npm.
func packageFolders() []string {
	return []string{".mops", ".vessel", ".cache", "node_modules"}
}

// Own reports whether a file, as Lines name it, is one of the developer's sources. Others are those of standard
// libraries (/rustc/library/core/src/num/mod.rs), of packages (serde-1.0.219/src/de/mod.rs,
// .mops/base@0.14.4/src/Array.mo), of C's libraries (/usr/include/stdlib.h), what a build script wrote
// (target/…/out/types.rs), and what moc and rustc bring (prelude, <::core::macros>). A folder of the developer's own
// that is named as a package with its version looks like one.
func Own(file string) bool {
	switch file {
	case "", ".", "prelude", "prim", "internals", "timers-api", "rts.wasm": // the latter are moc's
		return false
	}
	for _, prefix := range []string{"<", "mo:", "/rustc/", "/rust/", "/usr/", "/nix/store/"} {
		if strings.HasPrefix(file, prefix) {
			return false
		}
	}
	folders := strings.Split(file, "/")
	folders = folders[:len(folders)-1]
	others := append(packageFolders(), ".cargo", ".rustup", "wasi-libc", "compiler-rt", "emsdk")
	if slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(others, f) || strings.HasPrefix(f, "wasi-sdk") }) {
		return false
	}
	if at := slices.Index(folders, "target"); at >= 0 && slices.Contains(folders[at:], "out") {
		return false
	}
	if len(folders) == 0 {
		return true
	}
	vendored := folders[0] == "vendor" && len(folders) > 2 && folders[2] == "src"
	checkout := len(folders) > 1 && hexadecimal(folders[1], 7) && endsInHash(folders[0])
	return !vendored && !checkout && !versioned(folders[0])
}

// versioned reports whether a folder is named as a crate with its version: serde-1.0.219.
func versioned(folder string) bool {
	for rest := folder; ; {
		_, after, ok := strings.Cut(rest, "-")
		if !ok {
			return false
		}
		parts := strings.SplitN(after, ".", 3)
		if len(parts) == 3 && digits(parts[0]) && digits(parts[1]) && parts[2] != "" && digits(parts[2][:1]) {
			return true
		}
		rest = after
	}
}

// endsInHash reports whether a folder is named as a repository with the hash of its address: ic-0f3a5b7c9d1e2f40.
func endsInHash(folder string) bool {
	at := strings.LastIndexByte(folder, '-')
	return at > 0 && len(folder)-at-1 == 16 && hexadecimal(folder[at+1:], 16)
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// hexadecimal reports whether a text has at least n digits and nothing else.
func hexadecimal(text string, n int) bool {
	return len(text) >= n && strings.Trim(text, "0123456789abcdef") == ""
}
