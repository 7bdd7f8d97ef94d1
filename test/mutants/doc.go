// Command mutants checks the tests: it changes the code in one small place at a
// time and runs the tests, which must fail. A change that no test notices is a
// survivor.
//
// There are two kinds of mutants. Each integer constant of each limits.go is
// doubled and halved, so that a limit without a test shows. Each comparison of
// the files in compared is flipped: == and !=, < and <=, > and >=, so that a
// condition or a boundary without a test shows. Those files decide who may do
// something, what is charged, and what is dropped.
//
// All mutants are in one test binary of each package at once. The working tree stays
// as it is: the compiler reads changed files in place of the originals (go build -overlay), in
// which each use of a constant and each comparison is a call of the package probe. It
// has the largest expression around the change that can be computed twice, without the change and with it:
//
//	len(x) > MaxX
//	probe.Pick(7, len(x) > MaxX, len(x) > (MaxX*2))
//
// An environment variable makes one mutant active in a process. The tests are in the schema too: a test that uses the
// constant sees the changed one. A mutant that does not compile in this form has a build of its own: a constant that is
// the length of an array.
//
// A test in which both sides of a probe are always equal cannot notice the change. So each test of
// a package runs alone once, with no mutant active, and notes where they differ. A mutant needs only
// those tests, of its own package and of those in suites, in short mode, until one fails. Those
// that use the constant, or what it defines, run first, then the others, the fast ones
// before the slow ones; they may take ten times as long as without a change. A mutant
// without such a test survives without a run. Tests that fail with probes, as they measure time, and those
// whose processes do not inherit the environment, run in a build of the mutant's own after
// all others. What is measured is kept beside the results until the source of the tests, or of
// what they are compiled from, changes. A test that comes near the change in some runs and not
// in others (random input, the order of goroutines) may be left out by chance;
// -whole runs whole packages, each mutant in a build of its own, as for a few mutants.
//
// survivors.txt lists each known survivor with its reason. The run fails if an unlisted mutant survives, or if a listed
// one is killed or has lost its code, so the list stays true. -sample N runs N mutants, drawn with -seed, and those in
// always. -since COMMIT leaves only the mutants in files that differ from the commit; continuous integration runs a
// sample of these. -results FILE keeps the verdicts, so that a run that was
// interrupted goes on. -parallel N tests N mutants at a time; their lines are in the order in which they are done.
package main
