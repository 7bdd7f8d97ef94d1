// Command size compiles canisterd for linux/amd64 as it is released, and prints which modules make the binary large.
//
//	size [-write]
//
// Each row is a module that is linked, with the bytes of its machine code and its part of the file: the files that it embeds,
// and of the rest as much as of the machine code, since Go keeps a table of lines, frames and names of about the same size.
// What a module imports is not counted with it.
//
// It fails if the binary or its compressed form exceeds a limit, if the linker keeps methods because some function looks them
// up by reflection, or if docs/internals/size.md has other sizes. -write writes the sizes into the page.
package main

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	write := flag.Bool("write", false, "write the sizes into "+pagePath)
	flag.Parse()
	if err := run(ctx, *write); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, write bool) error {
	work, err := os.MkdirTemp("", "canisterd-size-")
	if err != nil {
		return fmt.Errorf("creating the directory for the binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	b, err := build(ctx, work)
	if err != nil {
		return err
	}
	m, err := measure(ctx, b)
	if err != nil {
		return err
	}
	m.print(os.Stdout)
	return errors.Join(m.check(), updatePage(m, write))
}

// measured is what there is to say about the binary.
type measured struct {
	stripped, compressed int64 // bytes
	shares               []share
	lookups              []string // functions that look up methods by reflection
}

func measure(ctx context.Context, b built) (measured, error) {
	m := measured{lookups: b.lookups}
	info, err := os.Stat(b.stripped)
	if err != nil {
		return m, err
	}
	m.stripped = info.Size()
	if m.compressed, err = compressedSize(b.stripped); err != nil {
		return m, fmt.Errorf("compressing the binary: %w", err)
	}
	modules, err := linkedModules(b.stripped)
	if err != nil {
		return m, err
	}
	functions, err := functionsOf(b.symbols)
	if err != nil {
		return m, fmt.Errorf("reading the functions of the binary: %w", err)
	}
	embedded, err := embeddedBytes(ctx)
	if err != nil {
		return m, err
	}
	m.shares = sharesOf(functions, embedded, modules, m.stripped)
	return m, nil
}

// compressedSize returns the size of a file in an archive.
func compressedSize(path string) (int64, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	var size counter
	zipped, err := gzip.NewWriterLevel(&size, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(zipped, f); err != nil {
		return 0, err
	}
	return int64(size), zipped.Close()
}

// counter is a writer that counts bytes.
type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

func (m *measured) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "code KB\tfile MB\t%%\t\n")
	for _, s := range m.shares {
		fmt.Fprintf(table, "%d\t%.2f\t%.1f\t  %s\n", s.code/1000, s.file/1e6, 100*s.file/float64(m.stripped), s.module)
	}
	_ = table.Flush()
	fmt.Fprintf(out, "\nstripped    %11d bytes of at most %d\ncompressed  %11d bytes of at most %d\n", m.stripped, int64(maxStripped), m.compressed, int64(maxCompressed))
}

// check compares the binary with the limits.
func (m *measured) check() error {
	var wrong []error
	for _, s := range []struct {
		what        string
		bytes, most int64
	}{{"stripped", m.stripped, maxStripped}, {"compressed", m.compressed, maxCompressed}} {
		if s.bytes > s.most {
			wrong = append(wrong, fmt.Errorf("the %s binary has %d bytes, more than %d: leave out what grew, or raise the limit (test/size/limits.go) and say why", s.what, s.bytes, s.most))
		}
	}
	for _, name := range m.lookups {
		wrong = append(wrong, fmt.Errorf("%s looks up methods by reflection, so the linker keeps all exported methods of all types: do without it (go build -ldflags=-dumpdep says what calls it)", name))
	}
	return errors.Join(wrong...)
}
