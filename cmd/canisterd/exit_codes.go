package main

// exitMeaning is what an exit code means.
type exitMeaning struct {
	Codes   string `json:"codes"`
	Meaning string `json:"meaning"`
}

// exitMeanings are the exit codes of all commands. They do not change.
var exitMeanings = []exitMeaning{
	{"0", "done"},
	{"1", "failed; the error is on standard error"},
	{"2", "a canister rejected a call; `explore` found something, or a schedule still fails; a check of `rehearse` fails"},
	{"3", "`explore replay`, `explore corpus`: a schedule is stale, and none still fails"},
	{"4", "a call is still open, and the command stopped waiting (`--timeout`, `--no-wait`)"},
	{"124", "`pocket-ic`: `--hard-ttl` expired"},
	{"126, 127", "`exec` could not run its command, or did not find it"},
	{"130", "interrupted"},
}
