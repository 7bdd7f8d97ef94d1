//go:build linux

package resources_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/test/resources"
	"golang.org/x/sys/unix"
)

func TestOpenFilesBelowAFolderAreCountedApart(t *testing.T) {
	dir := t.TempDir()
	below, others, err := resources.Descriptors(os.Getpid(), dir)
	if err != nil || below != 0 || others < 3 {
		t.Fatalf("%d below the folder and %d others are open: %v", below, others, err)
	}
	file, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if below, now, err := resources.Descriptors(os.Getpid(), dir); err != nil || below != 1 || now != others {
		t.Errorf("%d below the folder and %d others are open: %v", below, now, err)
	}
}

func TestAFolderTakesTheBlocksOfItsFiles(t *testing.T) {
	dir := t.TempDir()
	before, err := resources.Disk(dir)
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	if err := os.WriteFile(filepath.Join(dir, "file"), make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	if err := sparse.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	if now, err := resources.Disk(dir); err != nil || now < before+size || now > before+2*size {
		t.Errorf("the folder takes %d bytes, and %d before: %v", now, before, err)
	}
}

func TestMemoryFilesAreMemoryOfTheirProcess(t *testing.T) {
	before := resources.Memory(os.Getpid())
	if before == 0 {
		t.Fatal("a process without memory")
	}
	fd, err := unix.MemfdCreate("test", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const size = 64 << 20
	if err := unix.Fallocate(fd, 0, 0, size); err != nil {
		t.Fatal(err)
	}
	if now := resources.Memory(os.Getpid()); now < before+size/2 {
		t.Errorf("the process has %d bytes, and %d before", now, before)
	}
}

func TestTheCPUTimeOfAProcessGrowsWithWork(t *testing.T) {
	before := resources.CPU(os.Getpid())
	for range 1 << 30 {
		if resources.CPU(os.Getpid()) > before {
			return
		}
	}
	t.Error("the CPU time stands still")
}

func TestAProcessThatIsNotThereHasNoCPUTime(t *testing.T) {
	if took := resources.CPU(1 << 30); took != 0 {
		t.Errorf("it took %s", took)
	}
}
