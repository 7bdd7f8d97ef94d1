package control

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorsAboutArgumentsShowTypesOfAtMost400Bytes(t *testing.T) {
	for size, shown := range map[int]bool{400: true, 401: false} {
		takes := "(" + strings.Repeat("n", size-2) + ")"
		if err := refuseArgument("m", takes, errors.New("wrong")); strings.Contains(err.Error(), takes) != shown {
			t.Errorf("types of %d bytes are shown: %v, want %v", size, !shown, shown)
		}
	}
}

func TestTheInterfacesOfTheNewest256ModulesAreRemembered(t *testing.T) {
	const most = 256
	var known interfaces
	for n := range most + 1 {
		known.keep([32]byte{byte(n), byte(n >> 8)}, described{})
	}
	if _, ok := known.find([32]byte{0}); ok {
		t.Errorf("the oldest of %d interfaces is remembered", most+1)
	}
	for n := 1; n <= most; n++ {
		if _, ok := known.find([32]byte{byte(n), byte(n >> 8)}); !ok {
			t.Fatalf("interface %d of %d is forgotten", n, most+1)
		}
	}
}
