package ic0

import "testing"

func TestWhatIsNotTextIsReplacedOnceForEachPartOfACharacter(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"plain":                    "plain",
		"\xff":                     "\ufffd",
		"a\xffb\xfec":              "a\ufffdb\ufffdc",
		"\xe2\x82":                 "\ufffd",
		"\xe2\x82x":                "\ufffdx",
		"\xf0\x9f\x98":             "\ufffd",
		"\xf0\x9f\x98\xf0\x9f\x98": "\ufffd\ufffd",
		"\xed\xa0\x80":             "\ufffd\ufffd\ufffd",
		"\xc0\x80":                 "\ufffd\ufffd",
		"é\xe9":                    "é\ufffd",
	} {
		if got := lossy([]byte(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestChargesSaturateAtTheTopOfTheirRange(t *testing.T) {
	if got := saturate(500, 50, 10); got != 1000 {
		t.Errorf("500 and 50 for each of 10 are %d", got)
	}
	if got := saturate(500, 50, 1<<63); got != 1<<64-1 {
		t.Errorf("a size of 2^63 costs %d", got)
	}
}
