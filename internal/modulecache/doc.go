// Package modulecache is where a user's compiled modules are kept between processes. They are native code that runs, so the
// folder is one that other users cannot write.
//
// It owns the place of the folder and the check of its owner. It must not know what is in it: the engine does.
package modulecache
