package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "bin/dist", "directory for the packages; what it contains is deleted")
	tools := flag.String("tools", "bin/tools", "directory of nfpm and cyclonedx-gomod")
	flag.Parse()
	if err := run(ctx, *out, *tools); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run packs the commit that is checked out in the working directory.
func run(ctx context.Context, out, tools string) error {
	r, err := releaseOfCheckout(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return fmt.Errorf("emptying the directory for the packages: %w", err)
	}
	work, err := os.MkdirTemp("", "canisterd-dist-")
	if err != nil {
		return fmt.Errorf("creating the directory for the binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	builds, err := buildAll(ctx, r, work)
	if err != nil {
		return err
	}
	shared, err := sharedFiles(ctx, builds)
	if err != nil {
		return err
	}
	for _, b := range builds {
		if err := packPlatform(ctx, r, b, shared, out, tools); err != nil {
			return fmt.Errorf("packing for %s: %w", b.platform, err)
		}
	}
	if err := packNPM(r, builds, shared, out); err != nil {
		return err
	}
	if err := packImage(r, builds, shared, out); err != nil {
		return err
	}
	if err := writeManifests(r, builds, out); err != nil {
		return err
	}
	return writeChecksums(out)
}

// packPlatform writes the packages that have the binary of one platform.
func packPlatform(ctx context.Context, r release, b build, shared []file, out, tools string) error {
	if err := packArchive(r, b, shared, out); err != nil {
		return err
	}
	if err := packWheels(r, b, shared, out); err != nil {
		return err
	}
	if err := writeBill(ctx, r, b, out, filepath.Join(tools, "cyclonedx-gomod")); err != nil {
		return err
	}
	if b.platform.goos != "linux" {
		return nil
	}
	return packForDistributions(ctx, r, b, shared, out, filepath.Join(tools, "nfpm"))
}
