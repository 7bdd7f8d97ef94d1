package candid_test

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
)

func ExampleMarshal() {
	type settings struct {
		Name   string  `ic:"name"`
		Cycles uint64  `ic:"cycles,nat"`
		Note   *string `ic:"note"`
		State  *struct {
			Running *candid.Null `ic:"running,variant"`
			Stopped *string      `ic:"stopped,variant"`
		} `ic:"state"`
	}
	message, err := candid.Marshal(settings{Name: "a", Cycles: 5})
	if err != nil {
		panic(err)
	}
	var read settings
	if err := candid.Unmarshal(message, &read); err != nil {
		panic(err)
	}
	fmt.Println(read.Name, read.Cycles, read.Note == nil)
	// Output: a 5 true
}

func ExampleFormatArgs() {
	file, err := did.Parse(`service : { greet : (record { name : text; age : opt nat8 }) -> (text) query }`)
	if err != nil {
		panic(err)
	}
	greet, _ := file.Method("greet")
	message, err := greet.EncodeArgs(`(record { name = "x" })`)
	if err != nil {
		panic(err)
	}
	named, _ := greet.DecodeArgs(message)
	unnamed, _, _ := candid.Decode(message)
	fmt.Println(candid.FormatArgs(named))
	fmt.Println(candid.FormatArgs(unnamed))
	// Output:
	// (record { age = null; name = "x" })
	// (record { 4_846_783 = null; 1_224_700_491 = "x" })
}
