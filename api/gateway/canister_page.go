package gateway

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
)

// canisterPath begins the paths of pages about canisters.
const canisterPath = "/_/canister/"

// shownDetails is a canister on its page.
type shownDetails struct {
	shownCanister
	Instance, Interface string
	Pages               string // its own pages, "" if it has none
	Hints               []string
}

// About is where a page about a canister is shown.
type About struct {
	// Pages returns the address of the canister's own pages; nil: the page names none.
	Pages func(canister string) string
	// Control is the address of the control API, for commands; "" for none.
	Control string
}

// ServeCanister serves a page about a canister: its interface, and how it is called. It returns false, and serves
// nothing, if there is no such canister.
func ServeCanister(w http.ResponseWriter, r *http.Request, n Network, id principal.Principal, at About) (bool, error) {
	c, found, err := n.Canister(r.Context(), id)
	if err != nil || !found {
		return false, err
	}
	shown := shownDetails{shownCanister: showCanister(&c), Instance: n.Name(), Interface: interfaceOf(r, n, id)}
	if c.Module != nil {
		shown.Module = hex.EncodeToString(c.Module)
	}
	if at.Pages != nil && c.Pages {
		shown.Pages = at.Pages(shown.ID)
	}
	if at.Control != "" && c.Module != nil {
		shown.Hints = hints(fmt.Sprintf("canisterd --url %s -i %s canister ", at.Control, n.Name()), shown.ID, shown.Interface)
	}
	sendHTML(w, shown.page())
	return true, nil
}

// interfaceQuery is the method with which older canisters return their interface.
const interfaceQuery = "__get_candid_interface_tmp_hack"

// interfaceOf returns the Candid interface of a canister, "" if it publishes none.
func interfaceOf(r *http.Request, n Network, id principal.Principal) string {
	if text := section(n, id, did.InterfaceSection); text != "" {
		return text
	}
	reply, _, err := query(r.Context(), n, id, interfaceQuery, []byte("DIDL\x00\x00"))
	if err != nil {
		return ""
	}
	return decodeText(reply)
}

// hints returns the commands that call the methods of an interface, or one for any method.
func hints(command, id, text string) []string {
	file, err := did.Parse(text)
	if err != nil || len(file.Methods()) == 0 {
		return []string{command + "call " + id + " METHOD ARGUMENTS"}
	}
	var all []string
	for _, m := range file.Methods() {
		if len(all) == maxHints {
			break
		}
		verb, arguments := "call", ""
		if m.Annotation&candid.Query != 0 {
			verb = "query"
		}
		if len(m.Args) > 0 {
			arguments = " ARGUMENTS"
		}
		all = append(all, command+verb+" "+id+" "+shellWord(m.Name)+arguments)
	}
	return all
}

// shellWord quotes the name of a method that has special characters.
func shellWord(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// serveCanisterPage serves the page about the canister that a path names.
func (g *Gateway) serveCanisterPage(w http.ResponseWriter, r *http.Request, to *target) {
	at := About{Pages: func(canister string) string {
		return "http://" + canister + "." + g.domainOf(to.network, to.domain) + "/"
	}}
	if g.config.Control != nil && g.config.Control() {
		at.Control = "http://" + r.Host
	}
	id, err := principal.Parse(strings.TrimPrefix(r.URL.Path, canisterPath))
	served := false
	if err == nil {
		served, err = ServeCanister(w, r, to.network, id, at)
	}
	switch {
	case err != nil:
		g.refuse(w, r, to, noSuchCanister(err.Error()))
	case !served:
		g.refuse(w, r, to, noSuchCanister(""))
	}
}

// domainOf returns the domain below which hosts name canisters of an instance: with its name unless it is the default.
func (g *Gateway) domainOf(n Network, domain string) string {
	if implied := g.networks.Network(""); implied != nil && implied.Name() == n.Name() {
		return domain
	}
	return n.Name() + "." + domain
}
