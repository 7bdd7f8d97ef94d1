package real

import "github.com/canisterd/canisterd/test/canistertest/wat"

// install installs the code a canister had first, or a module in text format that follows the word wat: from then on it
// is the canister's code.
func (p *performer) install(rest string) {
	name, rest := cut(rest)
	mode, program := cut(rest)
	if word, text := cut(program); word == "wat" {
		module, err := wat.Assemble(text)
		if err != nil {
			p.t.Fatalf("module of %s: %v", name, err)
		}
		p.modules[name], program = module, ""
	}
	p.answered(p.SubmitManagement(name, "install_code", p.InstallArgs(name, Mode(mode), p.modules[name], p.program(program))))
}
