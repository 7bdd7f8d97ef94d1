package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/test/canistertest"
)

// kept starts a daemon with a state directory.
func kept(t *testing.T, dir string, config Config) (*Daemon, error) {
	config.Listen, config.CacheDir, config.StateDir = "127.0.0.1:0", canistertest.CacheDir(t), dir
	return Start(t.Context(), config)
}

func TestANetworkGoesOnFromItsStateDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "for it")
	d, err := kept(t, dir, Config{Seed: []byte("first")})
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	if _, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
		t.Fatal(err)
	}
	key := d.RootKey()
	if _, err := kept(t, dir, Config{}); err == nil || !strings.Contains(err.Error(), "in use by another canisterd") {
		t.Errorf("a second daemon with the directory: %v", err)
	}
	u.Close()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kept(t, dir, Config{Seed: []byte("second")}); err == nil || !strings.Contains(err.Error(), "another seed") {
		t.Errorf("a daemon with the directory and another seed: %v", err)
	}
	if d, err = kept(t, dir, Config{}); err != nil {
		t.Fatal(err)
	}
	u = userOf(t, d)
	defer u.Close()
	reply, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00"))
	if err != nil || !bytes.HasSuffix(reply, []byte{2}) || !bytes.Equal(d.RootKey(), key) {
		t.Errorf("the counter of the network that goes on says %x: %v", reply, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// restarted starts a daemon with a state directory and closes it.
func restarted(t *testing.T, dir string, config Config) error {
	d, err := kept(t, dir, config)
	if err != nil {
		return err
	}
	return d.Close()
}

func TestAKeptNetworkGoesOnWithTheSubnetsAndSystemCanistersOfItsFirstStart(t *testing.T) {
	dir := t.TempDir()
	subnets, err := ParseSubnets([]string{"nns", "application", "system"})
	if err != nil {
		t.Fatal(err)
	}
	first := Config{Subnets: subnets, SystemCanisters: []systemcanisters.Name{systemcanisters.All()[0]}}
	others, err := ParseSubnets([]string{"nns", "system"})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		config  Config
		refused string
	}{
		{first, ""},
		{Config{}, ""},
		{first, ""},
		{Config{Subnets: others}, "created with other subnets: leave that out to go on with it"},
		{Config{SystemCanisters: systemcanisters.All()}, "created with other system canisters"},
		{Config{RateLimits: true}, "created with other rate limits"},
		{Config{Seed: []byte("other")}, "canisterd state delete"},
		{Config{}, ""},
	} {
		err := restarted(t, dir, step.config)
		if step.refused == "" && err != nil || step.refused != "" && (err == nil || !strings.Contains(err.Error(), step.refused)) {
			t.Errorf("a start with %+v: %v, want %q", step.config, err, step.refused)
		}
	}
}

func TestAFolderWithOtherFilesIsNotAStateDirectory(t *testing.T) {
	dir := t.TempDir()
	letter := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(letter, []byte("Dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := kept(t, dir, Config{}); err == nil || !strings.Contains(err.Error(), "letter.txt") {
		t.Errorf("a folder with a letter: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder has %d files then: %v", len(files), err)
	}
}

// The clients of a network whose time is the wall clock's have certificates of the state itself, not of a copy with
// another date.
func TestAReplayComparesTheRootsThatClientsHadCertificatesOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	d, err := kept(t, dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	const calls = 5
	for range calls {
		if _, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
			t.Fatal(err)
		}
	}
	u.Close()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := ReplayState(t.Context(), dir, Config{CacheDir: canistertest.CacheDir(t)}, Traces{}); err != nil || r.Roots < calls || r.Checkpoints == 0 {
		t.Errorf("after %d calls, the replay comes to %+v: %v", calls, r, err)
	}
}
