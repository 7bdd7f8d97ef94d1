package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// AsSleeper is set to a folder where the test binary stands for a daemon that keeps its network there.
const AsSleeper = "CANISTERD_TEST_SLEEPER"

// slept is the file in that folder that says that the computer has slept for an hour.
const slept = "slept"

// Sleep is such a daemon. It ends with its standard input.
func Sleep(folder string) error {
	wall := func() time.Time {
		now := time.Now()
		if _, err := os.Stat(filepath.Join(folder, slept)); err == nil {
			now = now.Add(time.Hour)
		}
		return now
	}
	d, err := Start(context.Background(), Config{Listen: "127.0.0.1:0", CacheDir: filepath.Join(folder, "cache"), StateDir: filepath.Join(folder, "state"), wall: wall})
	if err != nil {
		return err
	}
	fmt.Println(d.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return d.Close()
}
