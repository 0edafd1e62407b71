package web

import (
	"embed"
	"net/http"
)

//go:embed page
var pageFiles embed.FS

// asset is a file of the page.
type asset struct{ name, kind string }

var assets = map[string]asset{
	"/{$}":      {"index.html", "text/html; charset=utf-8"},
	"/page.css": {"page.css", "text/css; charset=utf-8"},
	"/page.js":  {"page.js", "text/javascript; charset=utf-8"},
	"/icon.svg": {"icon.svg", "image/svg+xml"},
}

func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	text, err := pageFiles.ReadFile("page/" + a.name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	_, _ = w.Write(text) // the browser may be gone
}
