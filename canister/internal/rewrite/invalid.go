package rewrite

import "fmt"

// Rule names the family of a validation failure, as the replica groups them.
type Rule uint8

// The rules in the order in which a replica checks them.
const (
	RuleDecoding Rule = iota
	RuleModuleSize
	RuleCodeSection
	RuleEngine // the WebAssembly type rules
	RuleSignature
	RuleImports
	RuleExports
	RuleDuplicateExport
	RuleMethodCount
	RuleMethodNames
	RuleData
	RuleGlobals
	RuleGlobalCount
	RuleFunctionCount
	RuleMemorySize
	RuleComplexity
	RuleFunctionSize
	RuleInstruction
	RuleFunctionName
	RuleCustom
	RuleCustomCount
	RuleInstrumentation // valid, but its active data does not fit the declared memory
	RuleInstantiation   // valid, but making an instance traps; the one rule whose code is IC0521
)

// Invalid says why a module cannot be installed (IC0505). Detail is the replica's sentence without the common prefix.
type Invalid struct {
	Rule   Rule
	Detail string
	help   string
}

const (
	prefixInvalid    = "Canister's Wasm module is not valid: "
	prefixInstrument = "Could not instrument wasm module of canister: "
	prefixInstance   = "Canister encountered a Wasm engine error: Failed to instantiate module: "
	helpToolchain    = "If you are running this canister in a test environment (e.g., dfx), make sure the test environment is up to date. " +
		"Otherwise, this is likely an error with the compiler/CDK toolchain being used to build the canister. " +
		"Please report the error to IC devs on the forum: https://forum.dfinity.org and include which language/CDK was used to create the canister."
	helpPages = "http://internetcomputer.org/docs/current/references/execution-errors#"
)

// Error returns the replica's sentence, which begins "Canister's Wasm module is not valid: " and ends in a full stop.
func (e *Invalid) Error() string {
	text := prefixInvalid + e.Detail
	switch e.Rule {
	case RuleInstrumentation:
		text = prefixInstrument + e.Detail
	case RuleInstantiation:
		return prefixInstance + e.Detail
	}
	if text[len(text)-1] != '.' {
		text += "."
	}
	return text
}

// Message returns Error followed by a line of advice: what a replica puts after "Error from Canister <id>: " in the
// reject message.
func (e *Invalid) Message() string {
	if e.help == "" {
		return e.Error()
	}
	return e.Error() + "\n" + e.help
}

func invalid(rule Rule, format string, args ...any) *Invalid {
	return &Invalid{Rule: rule, Detail: fmt.Sprintf(format, args...), help: helpToolchain}
}

func (e *Invalid) advise(advice, page string) *Invalid {
	e.help = advice + " See documentation: " + helpPages + page
	return e
}

// invalidModule returns a failure of the WebAssembly rules at a byte offset of the module.
func invalidModule(text string, offset int) *Invalid {
	return invalid(RuleEngine, "Wasmtime failed to validate wasm module wasmtime::Module::validate() failed with %s (at offset 0x%x)", text, offset)
}

func invalidDecoding(text string) *Invalid {
	return invalid(RuleDecoding, "Failed to decode wasm module: %s", text)
}
