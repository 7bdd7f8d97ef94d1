// Package textwidth measures text on a terminal, in cells: most characters take one, East Asian characters and emoji
// two, accents none.
//
// It must not know what the texts are about.
package textwidth
