// Package compile compiles canisterd as it is released.
//
// It owns the flags of the compiler and the linker. It must not know what packages there are, or what they contain.
package compile
