package control

import "testing"

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
