// Package sourcelines finds the source lines of the code in a Wasm module.
//
// Compilers leave them in one of three places:
//
//   - the custom sections .debug_* of the module (DWARF; Rust with debug = "line-tables-only" or more, C with -g),
//   - the same sections in a separate file, beside a module that was stripped of them,
//   - a source map beside the module (Motoko: moc --map writes NAME.wasm.map).
//
// [Read] makes [Lines] of what it is given. A module without any of them has no lines, which is no error. Offsets are
// those in the file of the module, as it was uploaded and after it was unpacked. The lines of inlined code are those
// where it was written: a line table has no others.
//
// Names of files are readable and the same on every computer where possible: relative to the directory of the build if
// they lie below it, and cut for the standard library and packages. [Own] tells the sources of the developer from those.
//
// It owns the reading of line tables, of source maps and of what compilers name files. It must not know canisters, what
// ran, or where files are kept: bytes come in. The bytes come from strangers; every size has a limit (limits.go).
//
// debug/dwarf reads the units. Its reader of line tables allocates what a header claims, which no limit around it can
// prevent, so line tables are read here (table.go, program.go).
package sourcelines
