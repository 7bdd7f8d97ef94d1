package canister

import "testing"

func TestNamesOfRustFunctionsAreReadable(t *testing.T) {
	for name, want := range map[string]string{
		"main":            "main",
		"@deserialize<N>": "@deserialize<N>",
		"_ZN":             "_ZN",
		"_ZN3abcE":        "abc",
		"_ZN4core9panicking5panic17h0123456789abcdefE": "core::panicking::panic",
		"_ZN99shortE": "_ZN99shortE",
		"_ZN58_$LT$ic_cdk..api..Call$u20$as$u20$core..future..Future$GT$4poll17h0123456789abcdefE": "<ic_cdk::api::Call as core::future::Future>::poll",
		"_ZN8closures10$u7b$$u7b$x$E":                                "_ZN8closures10$u7b$$u7b$x$E",
		"_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE": "main::{{closure}}",
		"_ZN5price5$US$xE":                                           "price::$US$x",
	} {
		if got := demangle(name); got != want {
			t.Errorf("%s is read as %s, want %s", name, got, want)
		}
	}
}
