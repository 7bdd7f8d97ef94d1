package daemon

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/instance"
)

// reach says which servers of this machine and its networks outcalls may reach. A web page can make a canister here
// without the user's consent (README, "Pages in a browser"), so by default none: canisters must not reach what only
// this machine can reach.
type reach struct {
	all      bool
	prefixes []netip.Prefix
	servers  []server
}

// server is a configured server.
type server struct {
	host string // in lower case; a name or an address
	port string // "" for any
}

// mappedBits is the length of the prefix of IPv4-mapped addresses, ::ffff:0:0/96 (RFC 4291).
const mappedBits = 96

// newReach parses the configuration. The error is a refusal.
func newReach(config instance.OutcallReach) (reach, error) {
	r := reach{all: config.Local}
	for _, text := range config.Targets {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			if at := prefix.Addr(); at.Is4In6() && prefix.Bits() >= mappedBits {
				prefix = netip.PrefixFrom(at.Unmap(), prefix.Bits()-mappedBits) // as dialed addresses are compared
			}
			r.prefixes = append(r.prefixes, prefix.Masked())
			continue
		}
		host, port, err := net.SplitHostPort(text)
		if err != nil {
			host, port = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ""
		}
		number, err := strconv.ParseUint(port, 10, 16)
		address, notAddress := netip.ParseAddr(host)
		if host == "" || strings.ContainsAny(host, "/@?# ") || notAddress != nil && strings.Contains(host, ":") || port != "" && (err != nil || number == 0) {
			return reach{}, instance.BadField.Refuse("outcall_targets", fmt.Sprintf("%.100q", text), "expected host:port, host, or a prefix of addresses such as 10.0.0.0/8")
		}
		if notAddress == nil {
			host = address.Unmap().String()
		}
		r.servers = append(r.servers, server{strings.ToLower(host), port})
	}
	return r, nil
}

// permits reports whether an outcall to host:port may connect to an address to which the host resolved.
func (r *reach) permits(hostPort string, dialed netip.AddrPort) bool {
	address := dialed.Addr().WithZone("").Unmap()
	if r.all || !isLocal(address) {
		return true
	}
	for _, prefix := range r.prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return false
	}
	for _, named := range r.servers {
		if (named.host == strings.ToLower(host) || named.host == address.String()) && (named.port == "" || named.port == port) {
			return true
		}
	}
	return false
}

// unreachableError is for an outcall to a forbidden server of this machine or its networks.
type unreachableError struct {
	hostPort string
	address  netip.Addr
}

// Error says what to do.
func (e *unreachableError) Error() string {
	return fmt.Sprintf("The outcall to %s is refused: %s is an address of this machine or of its networks. Allow all of them with --outcalls-local, or this server with --outcalls-target %s (canisterd start, canisterd instance create).",
		e.hostPort, e.address, e.hostPort)
}

// check refuses an address that is about to be dialed.
func (r *reach) check(hostPort, dialed string) error {
	to, err := netip.ParseAddrPort(dialed)
	if err != nil {
		return fmt.Errorf("the address %q that %s resolved to: %w", dialed, hostPort, err)
	}
	if !r.permits(hostPort, to) {
		return &unreachableError{hostPort, to.Addr()}
	}
	return nil
}

// localPrefixes are prefixes, unknown to netip, that do not lead into the Internet.
var localPrefixes = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),      // this network (RFC 1122); Linux connects to itself
	netip.MustParsePrefix("100.64.0.0/10"),  // shared with the provider (RFC 6598)
	netip.MustParsePrefix("192.0.0.0/24"),   // protocol assignments (RFC 6890)
	netip.MustParsePrefix("198.18.0.0/15"),  // benchmarks of networks (RFC 2544)
	netip.MustParsePrefix("240.0.0.0/4"),    // reserved, with the limited broadcast (RFC 1112)
	netip.MustParsePrefix("fec0::/10"),      // site-local (RFC 3879)
	netip.MustParsePrefix("64:ff9b:1::/48"), // translation within a network (RFC 8215)
	netip.MustParsePrefix("2001::/32"),      // Teredo, tunnels to any IPv4 address (RFC 4380); no longer in use
}

// embedded are prefixes of IPv6 addresses that contain an IPv4 address at a byte offset.
var embedded = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible (RFC 4291)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated (RFC 2765)
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64 (RFC 6052)
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4 (RFC 3056)
}

// isLocal reports whether an address belongs to this machine or its networks: loopback, link-local, private, multicast,
// reserved, or one of this machine's interfaces.
func isLocal(address netip.Addr) bool {
	address = address.WithZone("").Unmap()
	if address.IsUnspecified() || address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast() || address.IsMulticast() {
		return true
	}
	for _, prefix := range localPrefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	for _, e := range embedded {
		if e.prefix.Contains(address) {
			bytes := address.As16()
			return isLocal(netip.AddrFrom4([4]byte(bytes[e.at : e.at+4])))
		}
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return true // this machine's addresses are unknown
	}
	for _, own := range interfaces {
		if prefix, err := netip.ParsePrefix(own.String()); err == nil && prefix.Addr().Unmap() == address {
			return true
		}
	}
	return false
}
