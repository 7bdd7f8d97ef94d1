package real

import "fmt"

// reach tries all ways to a method of a canister, the ways of canisters from another one, and tells the answer of each.
func (p *performer) reach(rest string) {
	p.Listen(nil)
	defer p.Listen(p)
	from, rest := cut(rest)
	name, method := cut(rest)
	call := func(options string) string {
		return fmt.Sprintf(`call %s.%s(reply "done") %s on-reply(reply "replied: " + arg) on-reject(append reject-code; append " "; append reject-message; reply)`, name, method, options)
	}
	told := func(id [32]byte, refused string) string {
		if refused != "" {
			return printable(refused)
		}
		return p.shown(p.Await(id))
	}
	p.say("%s.%s", name, method)
	p.say("  user:            %s", told(p.Submit(name, method, p.program(`reply "done"`))))
	p.say("  call:            %s", told(p.Submit(from, "run", p.program(call("")))))
	p.say("  best-effort:     %s", told(p.Submit(from, "run", p.program(call("within 100")))))
	p.say("  query:           %s", shownQuery(p.Query(name, method, p.program(`reply "done"`))))
	p.say("  composite query: %s", shownQuery(p.Query(from, "ask", p.program(call("")))))
}
