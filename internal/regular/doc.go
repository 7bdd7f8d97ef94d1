// Package regular opens files that others name: regular files only, and no more bytes of them than the caller wants. A
// named pipe would make the reader wait for a writer, and a device such as /dev/zero never ends.
//
// It must not know what is in a file.
package regular
