package main

import "testing"

func TestAfterARestartTraceSaysHowTheJournalShowsMessages(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	expect(exitOK, "(5 : nat)", "canister", "call", "counter", "add", "5")
	expect(exitOK, "to counter.add(5)\n", "trace")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d, expect = startKept(t, keptState)
	expect(exitFailed, "run canisterd instance export --journal FILE and then canisterd replay --traces 10 FILE", "trace")
	expect(exitFailed, "canisterd replay --traces 10 FILE", "trace", "1234")
	expect(exitOK, "", "instance", "export", "--journal", "journal")
	expect(exitOK, "to counter.add(5)\n", "replay", "--traces", "1", "journal")
	expect(exitOK, "replied (5)  ", "replay", "--traces", "1", "journal")
	expect(exitOK, "to counter.install_code\n", "replay", "--traces", "2", "journal")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	expect(exitOK, "to counter.add(5)\n", "replay", "--traces", "1", "--json", "--jq", ".traces[0]", keptState)
}
