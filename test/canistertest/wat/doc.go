// Package wat assembles the WebAssembly text format.
//
// It owns the reading of text: tokens, literals, names, folded and flat
// instructions, and their binary encoding. It covers WebAssembly 3.0
// (including memory64, tail calls, SIMD and relaxed SIMD) so that a test can
// write any module by hand, the forbidden ones too.
//
// It must not know what a valid module is: a text that is well formed but does
// not validate is assembled as it stands, because tests of validation need
// such modules. It is for tests.
package wat
