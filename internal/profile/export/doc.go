// Package export turns profiles into what people and tools read.
//
//	Pprof       the file that go tool pprof opens; Read reads it back
//	Folded      a line for each path, for FlameGraph and inferno
//	Speedscope  the file that www.speedscope.app opens
//	Text        tables: functions by instructions, and calls to other canisters
//	Tree        the call tree, without small branches
//	Compare     two profiles, by function
//
// It owns the labels of frames, the six forms, and the format of the pprof file: which fields hold a symbol (see Pprof).
// The same profile gives the same bytes. Names of functions and methods come from modules that anybody may install, and
// files from anybody: what a terminal or a viewer would obey is escaped, and limits.go limits sizes.
//
// It must not know who makes profiles, how they come here, or where files are. Names of canisters are handed in.
package export
