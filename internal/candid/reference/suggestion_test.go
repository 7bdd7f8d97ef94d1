package reference

import "testing"

func TestAWordThatWasMistypedIsFound(t *testing.T) {
	all := []string{"status", "start", "stop", "withdraw", "größe"}
	for written, want := range map[string]string{
		"statsu": "status", "withdrw": "withdraw", "withdrwa": "withdraw", "grösse": "größe", "x": "", "": "", "nothing": "", "stop": "stop",
	} {
		if got := Closest(written, all); got != want {
			t.Errorf("%q is taken for %q, want %q", written, got, want)
		}
	}
}
