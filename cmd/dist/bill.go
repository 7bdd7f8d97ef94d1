package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// writeBill writes the bill of materials of a binary in CycloneDX, from what Go wrote into it. A serial number and a time
// would make two runs differ.
func writeBill(ctx context.Context, r release, b build, out, cyclonedx string) error {
	name := fmt.Sprintf("canisterd-%s-%s-%s.cdx.json", r.version, b.platform.goos, b.platform.goarch)
	command := exec.CommandContext(ctx, cyclonedx, "bin", "-json", "-noserial", "-notimestamp", "-version", "v"+r.version,
		"-output", filepath.Join(out, name), b.path)
	if printed, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("writing the bill of materials with %s: %w\n%s", cyclonedx, err, printed)
	}
	return nil
}
