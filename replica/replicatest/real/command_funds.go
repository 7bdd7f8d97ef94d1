package real

// funds tells what a canister has, and the memory of its messages.
func (p *performer) funds(rest string) {
	c := p.Canister(p.ID(rest))
	p.say("%s has %s cycles, %s reserved; %d bytes of messages", rest, c.Balance, c.Reserved, c.MessageBytes)
}
