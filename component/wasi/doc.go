// Package wasi supplies the interfaces of WASI 0.2 and 0.3 to components: the command line, clocks, randomness, streams and
// logging. Runs are deterministic: arguments, input, the time of the start and the seed are options, and time passes only
// while a program waits or reads a clock.
//
// It owns the resources of WASI, the virtual clock, and which versions of an interface fit ([Host.Imports]). It must not know
// canisters, the command line, or how a component is run.
//
//	host.go      options, the interfaces that a component imports, versions
//	link.go      what the component declares of an interface, beside what the host has
//	command.go   components that are programs: wasi:cli/run
//	cli.go       environment, exit, standard streams, terminals; logging
//	clock.go     the virtual clock: 0.2 with pollables, 0.3 with functions that wait
//	random.go    randomness from the seed
//	streams.go   input and output streams, errors and pollables of 0.2
//	refused.go   interfaces that exist and do nothing: files, sockets, HTTP
//
// There are no files: the list of open directories is empty. Sockets and HTTP are refused: a function whose errors have a case
// for it returns that case, and any other function traps with a sentence.
package wasi
