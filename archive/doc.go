// Package archive writes and reads state as a file: sections of numbers, bytes and pages, each checked, written and
// read as a stream.
//
// It owns the frames of the file, the checksums, the compression and the elementary values. It must not know what is
// written: every package whose state is archived lists its fields in one function for both directions, so that
// everything that is written is also read. Such a function assigns to a value only when it reads, because a fork is
// written while its network goes on, and both share values.
//
// # The file
//
//	magic    16 bytes, "canisterd state\n"
//	version  4 bytes, big-endian
//	sections, in the order their writer has:
//	  'S', length of the name, name
//	  frames: kind, length of the content, length as stored, CRC-32C, content as stored
//	  0, length of all contents, CRC-32C
//	'E', number of sections, length of the file up to the 'E', SHA-256 of the file up to here
//
// Numbers are in LEB128 unless stated otherwise. A frame has at most 256 KiB of content, plain or compressed
// (Zstandard, RFC 8878; before version 10, RFC 1951). Each frame is independent: frames can be read and
// checked one by one, and a writer compresses a few full ones on other goroutines while it fills the next. The checksum
// of a frame includes the name of the section and the position of the frame in it, so that swapped frames are detected.
//
// Pages are records of runs: the number of pages, the number of missing pages before them, and their content, unless
// all are zero: a file leaves out some thousand pages of zeros.
//
// # Pages in other files
//
// A checkpoint keeps the pages of memories in the files of a PageStore, uncompressed. The reader loads a memory on
// first use. The writer skips a memory that an earlier checkpoint has. The checkpoint file has the SHA-256 of each run
// of pages instead of the bytes. A section after the memories has the file and the offset of each memory.
//
// # Guarantees
//
// The same program writes the same state as the same file, byte for byte. It reads files of older versions
// (versions.go); it refuses newer versions and names them. The reader trusts nothing in a file: lengths are limited,
// memory is allocated as bytes arrive, and a fault names the section and the byte.
package archive
