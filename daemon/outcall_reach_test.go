package daemon

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/replica"
)

func TestAddressesOfThisMachineAndItsNetworksAreLocal(t *testing.T) {
	for text, want := range map[string]bool{
		"127.0.0.1": true, "127.255.1.2": true, "0.0.0.0": true, "0.1.2.3": true, "10.1.2.3": true, "172.16.0.1": true, "172.31.255.255": true,
		"192.168.1.1": true, "169.254.169.254": true, "100.64.0.1": true, "100.127.255.255": true, "192.0.0.8": true, "198.19.0.1": true,
		"224.0.0.1": true, "240.0.0.1": true, "255.255.255.255": true, "::": true, "::1": true, "fe80::1": true, "fe80::1%eth0": true,
		"fc00::1": true, "fd12::1": true, "fec0::1": true, "ff02::1": true, "::ffff:127.0.0.1": true, "::ffff:10.0.0.1": true, "::7f00:1": true,
		"64:ff9b::7f00:1": true, "64:ff9b::a00:1": true, "64:ff9b:1::808:808": true, "2002:7f00:1::": true, "2002:c0a8:101::1": true,
		"::ffff:0:127.0.0.1": true, "::ffff:0:10.0.0.1": true, "2001:0:7f00:1::": true, "2001:0:4136:e378:8000:63bf:80ff:fffe": true,

		"8.8.8.8": false, "172.32.0.1": false, "100.128.0.1": false, "198.20.0.1": false, "2606:4700::1111": false, "::ffff:8.8.8.8": false,
		"64:ff9b::808:808": false, "2002:808:808::1": false, "::ffff:0:8.8.8.8": false, "2001:4860:4860::8888": false,
	} {
		if got := isLocal(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range interfaces {
		if prefix, err := netip.ParsePrefix(own.String()); err == nil && !isLocal(prefix.Addr()) {
			t.Errorf("%s of this machine is not local", prefix)
		}
	}
}

func TestOutcallsReachLocalServersOnlyWhereTheyMay(t *testing.T) {
	for _, row := range []struct {
		reach        instance.OutcallReach
		url, address string
		want         bool
	}{
		{instance.OutcallReach{}, "example.com:443", "93.184.216.34:443", true},
		{instance.OutcallReach{}, "rebound.example:80", "127.0.0.1:80", false},
		{instance.OutcallReach{Local: true}, "rebound.example:80", "127.0.0.1:80", true},
		{instance.OutcallReach{Targets: []string{"localhost:8080"}}, "localhost:8080", "127.0.0.1:8080", true},
		{instance.OutcallReach{Targets: []string{"localhost:8080"}}, "LocalHost:8080", "[::1]:8080", true},
		{instance.OutcallReach{Targets: []string{"localhost:8080"}}, "localhost:8081", "127.0.0.1:8081", false},
		{instance.OutcallReach{Targets: []string{"localhost:8080"}}, "rebound.example:8080", "127.0.0.1:8080", false},
		{instance.OutcallReach{Targets: []string{"127.0.0.1"}}, "localhost:1", "127.0.0.1:1", true},
		{instance.OutcallReach{Targets: []string{"127.0.0.1"}}, "a.example:1", "[::ffff:127.0.0.1]:1", true},
		{instance.OutcallReach{Targets: []string{"[::1]:7"}}, "[::1]:7", "[::1]:7", true},
		{instance.OutcallReach{Targets: []string{"[::1]"}}, "[::1]:9", "[::1]:9", true},
		{instance.OutcallReach{Targets: []string{"10.1.0.0/16"}}, "a.example:1", "10.1.2.3:1", true},
		{instance.OutcallReach{Targets: []string{"10.1.0.0/16"}}, "a.example:1", "10.2.2.3:1", false},
		{instance.OutcallReach{Targets: []string{"::ffff:10.1.0.0/112"}}, "a.example:1", "10.1.2.3:1", true},
		{instance.OutcallReach{Targets: []string{"::ffff:10.1.0.0/112"}}, "a.example:1", "[::ffff:10.2.2.3]:1", false},
		{instance.OutcallReach{Targets: []string{"[::ffff:127.0.0.1]:7"}}, "a.example:7", "127.0.0.1:7", true},
	} {
		r, err := newReach(row.reach)
		if err != nil {
			t.Error(err)
		} else if got := r.permits(row.url, netip.MustParseAddrPort(row.address)); got != row.want {
			t.Errorf("%+v, %s at %s: %v, want %v", row.reach, row.url, row.address, got, row.want)
		}
	}
	for _, bad := range []string{"", "http://127.0.0.1", "127.0.0.1/x", "localhost:0", "localhost:99999", "localhost:http", "a:b:c"} {
		if _, err := newReach(instance.OutcallReach{Targets: []string{bad}}); err == nil || !strings.Contains(err.Error(), "expected host:port, host, or a prefix") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOutcallsToThisMachineAreRefusedUnlessTheyAreAllowed(t *testing.T) {
	base := site(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	ask := `/echo"; method = variant { get }; headers = vec {}`
	b := browse(t, started(t, Config{}))
	for host, address := range map[string]string{
		"127.0.0.1": "127.0.0.1", "localhost": "", "0.0.0.0": "0.0.0.0", "[::ffff:127.0.0.1]": "127.0.0.1", "[::1]": "::1", "169.254.169.254": "169.254.169.254", "127.1.2.3": "127.1.2.3",
	} {
		_, refused := b.outcall(`url = "http://` + host + ":" + port + ask)
		if !strings.HasPrefix(refused, "1The outcall to "+host+":"+port+" is refused: ") ||
			!strings.Contains(refused, address+" is an address of this machine or of its networks. Allow all of them with --outcalls-local, or this server with --outcalls-target "+host+":"+port) {
			t.Errorf("%s: %q", host, refused)
		}
	}
	if _, refused := b.outcall(`url = "https://127.0.0.1:` + port + ask); !strings.HasPrefix(refused, "1The outcall to 127.0.0.1:"+port+" is refused") {
		t.Errorf("with TLS: %q", refused)
	}
	b = browse(t, started(t, Config{OutcallTargets: []string{"127.0.0.1:" + port}}))
	if r, refused := b.outcall(`url = "http://127.0.0.1:` + port + ask); r.Status != 418 {
		t.Errorf("a server that was named: %q", refused)
	}
	if _, refused := b.outcall(`url = "http://127.0.0.2:` + port + ask); !strings.Contains(refused, "is refused") {
		t.Errorf("another server than the one that was named: %q", refused)
	}
}

func TestInstancesHaveTheReachOfTheDaemonOrTheirOwn(t *testing.T) {
	d := started(t, Config{OutcallTargets: []string{"127.0.0.1:1"}})
	own := instance.OutcallReach{Local: true}
	for name, given := range map[string]instance.OutcallReach{"same": {}, "own": own} {
		made, err := d.instances.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: name}, Reach: given})
		if err != nil {
			t.Fatal(err)
		}
		fork, err := d.instances.Fork(t.Context(), &instance.ForkSpec{Source: name})
		if err != nil {
			t.Fatal(err)
		}
		want := own
		if given.IsZero() {
			want = instance.OutcallReach{Targets: []string{"127.0.0.1:1"}}
		}
		for _, i := range []*instance.Instance{made, fork} {
			if got := i.About().Reach; got.Local != want.Local || len(got.Targets) != len(want.Targets) {
				t.Errorf("%s has %+v, want %+v", i.Name(), got, want)
			}
		}
	}
	_, err := d.instances.Create(t.Context(), &instance.Spec{Reach: instance.OutcallReach{Targets: []string{"a b"}}})
	if err == nil || !strings.Contains(err.Error(), `invalid outcall_targets "a b"`) {
		t.Errorf("a target that is none: %v", err)
	}
}

func TestARefusalOfALocalServerIsFoundInTheErrorOfTheClient(t *testing.T) {
	o := newOutcallClient(false, reach{})
	defer o.close()
	_, err := o.connect(t.Context(), "tcp", "localhost:1")
	if local, ok := errors.AsType[*unreachableError](err); !ok || local.hostPort != "localhost:1" {
		t.Errorf("got %v", err)
	}
	if got := asked(t.Context(), o, replica.Outcall{URL: "http://localhost:1/"}); !strings.HasPrefix(got, "reject 1 The outcall to localhost:1 is refused") {
		t.Errorf("got %s", got)
	}
}
