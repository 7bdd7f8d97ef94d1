// Package inspect serves the inspector: pages for a browser that show what instances do, and the control API for those
// pages.
//
// The pages are files of this package (page/), which run as they are read: ES modules without a build. They show and do
// only what the control API can, through two forms of it that browsers can use: POST rpc/SERVICE/METHOD with JSON
// (unary RPCs, and client streams with a line for each message), and GET stream/SERVICE/METHOD for the server streams of
// events and of logs as server-sent events. POST stream/Explorer/Explore is the same for an exploration.
//
// It owns who may use these forms (guard.go, session.go), how a command recognizes it (challenge.go), and how they are
// written. It must not know what an RPC does or what an instance is: every answer comes from the control API.
//
// # Safety
//
// Whoever can send RPCs controls all instances, and every page in the user's browser can send requests to this machine.
// A request is therefore answered only if all of these hold:
//
//   - its Host is this machine or a host that the user allowed: a page whose name resolves to this machine (DNS
//     rebinding) has another one;
//   - its Origin and Sec-Fetch-Site are those of the inspector's own pages. A link from elsewhere may open a page in a
//     window of its own, but never data;
//   - an RPC carries the cookie of the session, which no page can read (HttpOnly) and which pages of other sites cannot
//     send (SameSite=Strict). The URL that canisterd prints has the token for the cookie;
//   - an RPC has a Content-Type and a header that need a preflight, which is never answered: there are no CORS headers.
//     A GET of a stream has neither, so only streams that change nothing are served this way.
//
// No other page can frame the inspector, and its pages load only files of this package (Content-Security-Policy).
// Canisters' own pages have other hosts, and so other origins. Browsers send the cookie to all servers at the same host,
// whatever their port, so its value depends on the host and the port, and the gateway removes it from what canisters get.
package inspect
