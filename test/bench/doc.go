// Command bench runs the repository's ratio benchmarks and prints one table.
//
// A ratio benchmark is a Go benchmark whose name begins with BenchmarkRatio. It measures something and, in the same
// run, a floor: the least that the same work could cost. It reports three metrics: "measured-ns" and "floor-ns" for one
// operation each (about memory "measured-bytes" and "floor-bytes"), and "limit-x", the greatest ratio of the two that
// is accepted; 0 means no limit, and the benchmark's comment says why. "bound-ns" is the longest time that is accepted,
// whatever the floor is: a promise in seconds. It may report "mean-ns" and "p99-ns" of what it measured, and "cpu-x", the
// same ratio of CPU times: a row misses its limit only if both ratios do, so that a busy machine gives the same verdict.
// "frozen-x" is the ratio to a floor of the past, beside a limit that was raised because the floor became faster.
// Every benchmark runs several times, except those whose runs take seconds; the table shows medians, so that a noisy
// machine shows as little as possible. Rows that miss their limits run again, and fail if they miss a second time. All test
// binaries are built before the first of them runs. Package ratio below measures and reports.
//
// With -base, the table compares two checkouts: the one in the working directory and a base. Each benchmark that both
// have runs in turns, once in one and once in the other, so that the machine's changes of speed fall on both. Rows that are
// worse here than in the base run a second time, and the command fails if one is worse in both runs.
package main
