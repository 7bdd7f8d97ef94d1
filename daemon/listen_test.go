package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnAddressInUseIsTriedAgainForASecond(t *testing.T) {
	for _, c := range []struct {
		busy  time.Duration // how long the address is in use
		taken bool          // it can be used in the end
	}{{0, true}, {listenPatience - listenPause, true}, {listenPatience + 2*listenPause, false}} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := patiently(t.Context(), func() (net.Listener, error) {
				if time.Since(begun) < c.busy {
					return nil, addressInUse
				}
				return nil, nil
			})
			if taken := err == nil; taken != c.taken || time.Since(begun) > listenPatience {
				t.Errorf("an address that is in use for %s is taken: %t after %s (%v)", c.busy, taken, time.Since(begun), err)
			}
		})
	}
}

func TestOtherErrorsOfAnAddressAreNotTriedAgain(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx context.Context
		err error
	}{{t.Context(), net.ErrClosed}, {ended, addressInUse}} {
		tries := 0
		_, err := patiently(c.ctx, func() (net.Listener, error) {
			tries++
			return nil, c.err
		})
		if tries != 1 || !errors.Is(err, c.err) {
			t.Errorf("%v: tried %d times, %v", c.err, tries, err)
		}
	}
}

func TestEveryListenerTriesAnAddressInUseAgain(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || name == "listen.go" {
			continue
		}
		for _, call := range []string{"net.ListenConfig", "net.Listen("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s uses %s: use listen, which tries an address in use again", name, call)
			}
		}
	}
}
