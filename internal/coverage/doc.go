// Package coverage says which code of canisters ran, and reports it by canister, function and source line.
//
// What ran comes as basic blocks of modules ([Module]). A [Report] joins runs: a block of a module ran if it ran in any
// of them. A [Summary] adds up, and writes the reports: lcov and Cobertura for other tools, a page for a browser, a table
// for a terminal.
//
// # What counts
//
// A line of the developer's own sources (sourcelines.Own) is covered if a block with an operator on it ran, and uncovered
// if there are such blocks and none ran. Other lines have no code. A block counts if it has such a line, and a function
// if it has such a block, so the standard library and packages are left out. [Options.All] takes them in.
//
// Of a module without such lines every function and block counts, and there are no lines to report. In lcov and
// Cobertura it is one file called NAME.wasm, in which a line is a function: its number is the function's index.
//
// Names come from strangers: a canister, a function or a file may be called anything. Every form escapes them.
//
// It owns what counts, the sums, and the forms. It must not know how blocks were found or marked, or where sources are
// kept: they are handed in. Nothing in it has effects but the writing to what it is handed.
package coverage
