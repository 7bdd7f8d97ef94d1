package rehearse

import "context"

// secondUpgrade upgrades the new module to itself: it has to read what it wrote.
func (r *rehearsal) secondUpgrade(ctx context.Context) error {
	const name = "second upgrade"
	return r.again(ctx, name, "the new module reads the state that it wrote", module{content: r.Module}, r.after, Failed, "")
}

// wayBack installs the old module on the state of the new one.
func (r *rehearsal) wayBack(ctx context.Context) error {
	const name = "way back"
	old := module{hash: r.before.GetModuleHash()} // the base has it, and never runs
	return r.again(ctx, name, "the old module works on the new state", old, r.control, Noted, "there is no way back: ")
}

// again upgrades the upgraded fork to a module, and compares its queries with those of another fork.
func (r *rehearsal) again(ctx context.Context, name, text string, to module, as *fork, result Result, before string) error {
	f, err := r.another(ctx, r.after.name)
	if err != nil {
		return err
	}
	_, why, err := f.install(ctx, to)
	if err != nil {
		return err
	}
	if why != "" {
		r.verdict.add(name, text, result, before+why)
		return nil
	}
	all, _, err := r.steady(ctx)
	if err != nil {
		return err
	}
	want, err := r.askAll(ctx, as, all)
	if err != nil {
		return err
	}
	got, err := r.askAll(ctx, f, all)
	if err != nil {
		return err
	}
	var findings []string
	for _, one := range r.differ(all, want, got) {
		findings = append(findings, before+one)
	}
	r.verdict.add(name, text, result, findings...)
	return nil
}
