// Command dist packs canisterd for people who have no Go compiler.
//
//	dist [-out DIR] [-tools DIR]
//
// It builds the binary of the checked out commit for each platform, and packs the binaries as archives, packages of Linux
// distributions, npm packages, Python wheels and an OCI image, with checksums, a bill of materials and the manifests of
// Homebrew, Scoop and WinGet. Two runs at the same commit write the same bytes: each file has the time of the commit, no
// owner, and a fixed place. No step needs the network if the modules and tools are there.
//
// It owns the list of platforms and the layout of each kind of package. It does not know what canisterd does: it runs the
// binary for its completions alone.
package main
