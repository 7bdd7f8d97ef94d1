package daemon

import (
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/mcp"
)

// AssistantsPath is where a daemon serves the tools for coding assistants, over the Model Context Protocol.
const AssistantsPath = "/mcp"

// Assistants configures the tools for coding assistants. They have the token and the hosts of the inspector.
type Assistants struct {
	// Folder is the folder of the project, out of which no tool reads or writes. Empty: tools have no files, and cannot
	// deploy.
	Folder string
	// Principals are those of the user's identities by name.
	Principals map[string]string
	// Sender is the principal of calls that name no other; "" for the anonymous one.
	Sender string
}

// assistants serves the tools.
type assistants struct {
	server  *mcp.Server
	handler http.Handler
}

// newAssistants makes the tools over a connection to the control API, for those who may use the inspector.
func (d *Daemon) newAssistants(connection *grpc.ClientConn, config *Config) *assistants {
	server := mcp.New(mcp.Config{
		Daemon: remote.Over(connection), Folder: config.Assistants.Folder, Names: config.Inspector.Names,
		Principals: config.Assistants.Principals, Sender: config.Assistants.Sender, Version: Version(),
	})
	protocol := sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return server.Protocol() },
		// The inspector's rules come first, with the hosts that the user allowed.
		&sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxAssistantBytes, DisableLocalhostProtection: true, PropagateRequestCancellation: true,
		},
	)
	return &assistants{server, d.inspector.ForBearers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// An exploration takes as long as its caller allows.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a writer without deadlines has none to lift
		protocol.ServeHTTP(w, r)
	}))}
}

// assists answers requests of assistants, and returns false for others.
func (d *Daemon) assists(w http.ResponseWriter, r *http.Request) bool {
	if d.tools == nil || r.URL.Path != AssistantsPath || d.gateway.HostsCanister(r) {
		return false
	}
	d.tools.handler.ServeHTTP(w, r)
	return true
}
