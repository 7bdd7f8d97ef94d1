// Package syntax implements the concrete syntax shared by Candid's two textual forms, values and .did files: tokens,
// quoting, and type expressions.
//
// It owns text, positions in text and the trees that mirror it; names in those
// trees are not resolved. It must not know values, the binary form or files.
package syntax
