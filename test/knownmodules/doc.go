// Command knownmodules writes internal/knownmodules/modules.json: the modules that this repository and packages of
// registries have, with the hashes of the files themselves. make fixtures ONLY=known runs it.
//
// It owns the table of these modules, with their names, and how a module is found in a program that carries it. It must
// not know what a module does: the interface in the list is made of the methods that it exports.
package main
