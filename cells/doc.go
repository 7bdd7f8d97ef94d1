// Package cells knows how wide texts are on a terminal, which shows them in cells: most characters take one, those of East Asian scripts and
// emoji two, accents none.
//
// It owns nothing and must not know what the texts are about. Whoever aligns columns for people imports it.
package cells
