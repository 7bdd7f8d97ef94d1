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
// The working tree stays as it is: the compiler reads the changed file in place
// of the original (go build -overlay). The tests of a mutant are those of its
// own package and of the packages in suites, in short mode, until one fails.
//
// A test that does not execute the changed code cannot notice the change. So each
// test of a package runs alone once, with its coverage measured, and a mutant needs
// only those that execute the comparison, or a place that uses the constant or
// what is defined by it, or that name it themselves. Those that name it run
// first, then the others, the fast ones before the slow ones; they may take ten times
// as long as without a change. All tests run where coverage does not tell: where
// the constant is part of a type. Tests that start other processes always run. What is
// measured is kept beside the results until the source of the tests, or of what
// they are compiled from, changes. A test that reaches the code in some runs and not
// in others (random input, the order of goroutines) may be left out by chance;
// -whole runs whole packages, as for a few mutants.
//
// survivors.txt lists each known survivor with its reason. The run fails where a
// mutant survives that is not listed, and where a listed one is killed or has no
// code any more, so the list stays true. -sample N runs N mutants, drawn with
// -seed, and those in always; continuous integration runs such a sample. -results
// FILE keeps the verdicts, so that a run that was interrupted goes on. -parallel N
// tests N mutants at a time; their lines are in the order in which they are done.
package main
