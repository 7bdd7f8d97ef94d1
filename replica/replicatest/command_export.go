package replicatest

import "bytes"

// exported is the file of a network, with the programs of the callbacks for which its canisters wait.
type exported struct {
	file    []byte
	puppets *Puppets
}

// export writes the present network to a file.
func (p *performer) export(words []string) {
	var file bytes.Buffer
	if err := p.stage.Export(&file); err != nil {
		p.say("%v", err)
		return
	}
	p.files[words[0]] = exported{file.Bytes(), p.stage.Puppets.Fork()}
}
