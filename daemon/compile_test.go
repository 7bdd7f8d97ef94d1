package daemon

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// large is a module that takes some tenths of a second to compile.
func large() []byte {
	body := []byte{0} // no locals
	for range 100 {
		body = append(body, 0x20, 0, 0x20, 0, 0x6c, 0x21, 0) // local 0 becomes its square
	}
	body = append(body, 0x20, 0, 0x0b)
	const functions = 1400
	count := []byte{functions&0x7f | 0x80, functions >> 7}
	code := count
	for range functions {
		code = append(append(code, byte(len(body)&0x7f|0x80), byte(len(body)>>7)), body...)
	}
	section := func(id byte, content []byte) []byte {
		n := len(content)
		return append([]byte{id, byte(n&0x7f | 0x80), byte(n>>7&0x7f | 0x80), byte(n>>14&0x7f | 0x80), byte(n >> 21)}, content...)
	}
	module := append([]byte("\x00asm\x01\x00\x00\x00"), section(1, []byte{1, 0x60, 1, 0x7f, 1, 0x7f})...)
	module = append(module, section(3, append(count, make([]byte, functions)...))...)
	return append(module, section(10, code)...)
}

// reinstallation is the argument of install_code that reinstalls a canister.
func (u user) reinstallation(target principal.Principal, module []byte) []byte {
	u.Helper()
	type mode struct {
		Reinstall *candid.Null `ic:"reinstall,variant"`
	}
	arg, err := candid.Marshal(struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, target, module, nil})
	if err != nil {
		u.Fatal(err)
	}
	return arg
}

// installing is a program that installs a module into a canister.
func (u user) installing(target principal.Principal, module []byte) []byte {
	u.Helper()
	return canistertest.Script().Call(canistertest.Call{
		Callee: principal.Management, Method: "install_code", Arg: u.reinstallation(target, module),
		OnReply: canistertest.Script().ReplyText("installed"), OnReject: canistertest.Script().RejectMessage().ReplyTop(),
	}).Drop().Bytes()
}

// factory is a canister that controls another.
func (u user) factory() (factory, product principal.Principal) {
	u.Helper()
	factory, product = u.deployWith(canistertest.Scriptable(), nil), u.deployWith(canistertest.Scriptable(), nil)
	type settings struct {
		Controllers *[]principal.Principal `ic:"controllers"`
	}
	u.manage(product, "update_settings", struct {
		Canister principal.Principal `ic:"canister_id"`
		Settings settings            `ic:"settings"`
	}{product, settings{&[]principal.Principal{factory, u.Sender()}}}, nil)
	return factory, product
}

func TestACanisterInstallsALargeModule(t *testing.T) {
	u := userOf(t, started(t, Config{}))
	factory, product := u.factory()
	if got, err := u.Call(u.ctx, factory, factory, "run", u.installing(product, large())); string(got) != "installed" {
		t.Fatalf("got %q, %v", got, err)
	}
	if _, err := u.Call(u.ctx, product, product, "run", nil); err == nil || !strings.Contains(err.Error(), "has no update method 'run'") {
		t.Errorf("the module before is still there: %v", err)
	}
}

func TestCloseWhileAModuleIsCompiledLeavesNothing(t *testing.T) {
	defer nothingIsLeft(t, goleak.IgnoreCurrent())
	d, err := Start(eventually.Context(t), Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, d)
	factory, product := u.factory()
	ctx, cancel := context.WithCancel(u.ctx)
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = u.Call(ctx, factory, factory, "run", u.installing(product, large())) // it is cut off
	}()
	for waiting := 0; waiting == 0; {
		if err := d.Driver().Do(u.ctx, func(n *replica.Network) { waiting = n.Census().Waiting }); err != nil {
			t.Fatal(err)
		}
		select {
		case <-called:
			t.Fatal("the module was compiled before anybody looked: it must be larger")
		default:
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	<-called
	u.Close()
}

func TestModulesOfStrangersAreRefusedBeforeTheyAreCompiled(t *testing.T) {
	dir := t.TempDir()
	d, err := Start(eventually.Context(t), Config{Listen: "127.0.0.1:0", CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	owner := userOf(t, d)
	target := owner.deployWith(canistertest.Scriptable(), nil)
	prepared := func() int {
		files, err := os.ReadDir(filepath.Join(dir, "modules"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before := prepared()
	stranger, err := client.Dial(owner.ctx, d.URL(), client.WithKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	_, err = stranger.Call(owner.ctx, principal.Management, target, "install_code", owner.reinstallation(target, large()))
	if err == nil || !strings.Contains(err.Error(), "Only controllers of canister") {
		t.Errorf("a stranger's installation ends with %v", err)
	}
	if after := prepared(); after != before {
		t.Errorf("%d files were added to the cache for a stranger", after-before)
	}
	if _, err := owner.Call(owner.ctx, principal.Management, target, "install_code", owner.reinstallation(target, large())); err != nil {
		t.Fatal(err)
	}
	if prepared() == before {
		t.Error("the cache shows no module of the controller either: the test proves nothing")
	}
}
