package taught

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"nod/detect/agents"
	"nod/detect/screen"
)

// Holder keeps the dialogs that a running bot was taught, and reads them again when their files change.
type Holder struct {
	folder  Folder
	log     *slog.Logger
	current atomic.Pointer[[]agents.Taught]

	mu   sync.Mutex
	read bool // it was read once
	seen string
}

// NewHolder makes a Holder, which knows nothing before its first Refresh.
func NewHolder(folder Folder, log *slog.Logger) *Holder {
	h := &Holder{folder: folder, log: log}
	h.current.Store(new([]agents.Taught))
	return h
}

// Refresh reads the folder again if one of its files changed since the last time. What is wrong is logged then, once.
func (h *Holder) Refresh() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.folder.stamp()
	if h.read && now == h.seen {
		return
	}
	h.read, h.seen = true, now
	taught, problems := h.folder.All()
	for _, p := range problems {
		h.log.Error("a taught dialog is not used", "problem", p)
	}
	if len(taught) > 0 || len(*h.current.Load()) > 0 {
		h.log.Info("taught dialogs read", "dialogs", len(taught))
	}
	h.current.Store(&taught)
}

// Current are the dialogs that were read last. They are behind another pointer once they have changed.
func (h *Holder) Current() *[]agents.Taught { return h.current.Load() }

// Read reads one screen of an agent by what was taught.
func (h *Holder) Read(agent string, s screen.Screen) screen.Reading {
	return agents.ReadTaught(*h.current.Load(), agent, s)
}

// stamp changes with the files.
func (f Folder) stamp() string {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasSuffix(entry.Name(), suffix) {
			fmt.Fprintln(&b, entry.Name(), info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
