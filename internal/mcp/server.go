package mcp

import (
	"context"
	"fmt"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/canisterd/canisterd/api/control/remote"
)

// Config configures a server.
type Config struct {
	// Daemon is a connection to the daemon whose instances the tools use.
	Daemon *remote.Daemon
	// Folder is the folder of the project: tools read files there by the rules of canisterd deploy, and write schedules
	// there. Empty: there are no files.
	Folder string
	// Names returns the names of the canisters of an instance by id, "" for the default instance, where another program
	// deployed them; nil for none.
	Names func(instance string) map[string]string
	// Principals are those of the user's identities by name.
	Principals map[string]string
	// Sender is the principal of calls that name no other; "" for the anonymous one.
	Sender string
	// Version is the version of the program.
	Version string
}

// Server has the tools. It is safe for concurrent use.
type Server struct {
	Config
	protocol func() *sdk.Server // made when it is first used: the schemas of tools take a tenth of the start of a daemon

	mu       sync.Mutex    // guards what follows
	lease    *remote.Lease // of the instances; nil before the first one
	deployed []*deployment // the newest last
	findings []*finding    // the newest last
}

// instructions tell an assistant how the tools belong together.
const instructions = `canisterd runs canisters of the Internet Computer locally. To test some: deploy (a fresh instance), suggest (invariants), ` +
	`explore (every order of messages, with faults), replay (a finding, after a change of the modules). ` +
	`An operation is CANISTER METHOD [ARGUMENTS] [as PRINCIPAL], such as: bank withdraw 100 as alice. ` +
	`ARGUMENTS is Candid text; ${NAME} stands for the principal of a canister or identity. ` +
	`An instance is the one deployed last unless a tool is given another. reference explains the rest.`

// New makes a server. Close deletes the instances that it deployed to.
func New(config Config) *Server {
	s := &Server{Config: config}
	s.protocol = sync.OnceValue(s.newProtocol)
	return s
}

// newProtocol makes the server of the protocol with its tools and resources.
func (s *Server) newProtocol() *sdk.Server {
	protocol := sdk.NewServer(&sdk.Implementation{Name: "canisterd", Version: s.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	s.addTools(protocol)
	s.addResources(protocol)
	return protocol
}

// ServeStream answers the messages of one client, a line each, until the client closes them.
func (s *Server) ServeStream(ctx context.Context, from io.ReadCloser, to io.WriteCloser) error {
	return s.protocol().Run(ctx, &sdk.IOTransport{Reader: from, Writer: to})
}

// Protocol returns the server of the protocol, for requests over HTTP: all clients share the instances. It remembers
// nothing of a session.
func (s *Server) Protocol() *sdk.Server { return s.protocol() }

// Close deletes the instances of the server.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lease != nil {
		s.lease.Release()
	}
	s.lease, s.deployed = nil, nil
}

// detailed is what each tool takes: how long its answer may be.
type detailed struct {
	Full bool `json:"full,omitempty" jsonschema:"answer with up to 64 KiB instead of 2"`
}

func (d detailed) full() bool { return d.Full }

// addTool adds a tool that answers with a text.
func addTool[In interface{ full() bool }](protocol *sdk.Server, name, description string, answer func(ctx context.Context, in In) (string, error)) {
	sdk.AddTool(protocol, &sdk.Tool{Name: name, Description: description}, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		text, err := answer(ctx, in)
		if err != nil {
			return nil, nil, fmt.Errorf("%s", bounded(explained(err), in.full()))
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: bounded(text, in.full())}}}, nil, nil
	})
}

// addTools adds the tools.
func (s *Server) addTools(protocol *sdk.Server) {
	addTool(protocol, "deploy", "Deploy a project (canisterd.yaml, or modules) to a fresh instance. Answers with the canisters, their interfaces, and the values of queries without arguments.", s.deploy)
	addTool(protocol, "call", "Call methods in order. Answers with replies, a short trace of the last call, and what changed.", s.call)
	addTool(protocol, "suggest", "Suggest invariants for explore: run operations one after another on a fork and report what stayed conserved.", s.suggest)
	addTool(protocol, "explore", "Run operations in every order of their messages and with the faults of mainnet, on forks. Answers with each distinct finding and the shortest run that shows it. The instance does not change.", s.explore)
	addTool(protocol, "replay", "Replay a finding on a fresh deployment of its modules, as they are now: still fails, fixed or stale.", s.replay)
	addTool(protocol, "inject", "Run operations once on a fork, with faults at messages (kinds and names as explore writes them). Without faults it lists the messages.", s.inject)
	addTool(protocol, "state", "Snapshot, restore, fork, diff, list or delete: states of instances.", s.state)
	addTool(protocol, "time", "Show the time, or let it pass: timers and deadlines on the way happen. Or make single steps.", s.time)
	addTool(protocol, "why", "Say what calls and messages wait for, or why a request trapped, with its trace.", s.why)
	addTool(protocol, "reference", "Read the documentation by topic. Without a topic it lists them.", s.reference)
}
