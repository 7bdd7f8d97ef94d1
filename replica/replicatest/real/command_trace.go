package real

// record begins a recording.
func (p *performer) record(string) { p.recording.Begin() }

// told tells what is recorded.
func (p *performer) told(kinds string) { p.said.WriteString(p.recording.Told(kinds, p.name)) }

// trace shows the call tree of the last ingress message.
func (p *performer) trace(form string) {
	shown, err := p.recording.Show(form, nil, p.name)
	if err != nil {
		p.t.Fatal(err)
	}
	p.said.WriteString(shown)
}
