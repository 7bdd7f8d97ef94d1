// Command gate runs the targets of make check, and says what they need to know of a change.
//
//	gate run [-first TARGET,…] [-jobs N] [-record FILE] [-report FILE] TARGET…
//	    runs the first targets one after the other, then the others, N at a time, and records the commit
//	gate affected [-changed] -since COMMIT
//	    lists the packages whose tests a change reaches, or those that it changes
//	gate names [-since COMMIT] [-renamed FILE] BEFORE.json AFTER.json
//	    compares the names of tests of two runs of go test -json, and the scripts and golden files of a commit with those here
//	gate lines PACKAGE…
//	    counts the lines of code of packages and of those of this module that they import
//
// It owns the order of targets, the record of a commit that passed, and the rules by which a file belongs to a package.
// It does not know what a target does: the Makefile does.
package main
