package real

// install installs the code a canister had first.
func (p *performer) install(rest string) {
	name, rest := cut(rest)
	mode, program := cut(rest)
	p.answered(p.SubmitManagement(name, "install_code", p.InstallArgs(name, Mode(mode), p.modules[name], p.program(program))))
}
