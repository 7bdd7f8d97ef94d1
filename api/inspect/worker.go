package inspect

import (
	"io"
	"net/http"
)

// endWorker is a service worker that ends itself and loads the pages again that it controlled.
const endWorker = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.registration.unregister()
  .then(() => self.clients.matchAll({ type: "window" }))
  .then((windows) => windows.forEach((window) => window.navigate(window.url)))));
`

// EndServiceWorker answers a browser that asks for the script of a service worker at the origin of the inspector, which
// has none. A page of a canister may have registered one there while the origin had no inspector, and it would see every
// request of the inspector's pages.
func EndServiceWorker(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, endWorker) // a browser that is gone misses it
}
