// Package explore runs a program with components in every order of what the specification leaves to a host, and finds the
// orders that it does not survive.
//
// It owns the choice of orders, findings with their shortest schedules, and the text of schedules. It must not know what a
// program does: a program makes its instances with a [Run] as their scheduler, uses them, and returns an error if something
// is wrong. Nothing is kept between runs: each run makes its instances again.
//
// # Runs
//
//  1. The default order, twice: a program must depend on the choices of its run alone.
//  2. All sequences of choices, depth-first, with half of the runs. If this ends, all orders were run.
//  3. Otherwise orders drawn by the strategies of package search.
//
// A finding is an error that no earlier run gave. Its schedule has the choices in which the run differs from the default order:
// choices are taken back one at a time as long as the error stays the same.
package explore
