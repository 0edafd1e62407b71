package settings

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Holder keeps the current settings of a running bot, and reloads them.
type Holder struct {
	env     Environment
	log     *slog.Logger
	changed func(Settings)

	current atomic.Pointer[Settings]
	wrong   atomic.Pointer[error]

	mu   sync.Mutex // held while reading
	seen stamp
}

// NewHolder starts with settings that were loaded from env. It calls changed with the new settings after
// every change that took effect; changed may be nil.
func NewHolder(env Environment, s Settings, log *slog.Logger, changed func(Settings)) *Holder {
	h := &Holder{env: env, log: log, changed: changed}
	h.current.Store(&s)
	h.seen = stampOf(env, s)
	return h
}

// Current returns the current settings.
func (h *Holder) Current() Settings { return *h.current.Load() }

// Wrong returns why the files' present settings are not the current ones; nil if they are.
func (h *Holder) Wrong() error {
	if err := h.wrong.Load(); err != nil {
		return *err
	}
	return nil
}

// Watch reloads the settings on every SIGHUP until ctx ends.
func (h *Holder) Watch(ctx context.Context) error {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hup:
			h.reload()
		}
	}
}

// Refresh reloads the settings if one of their files has changed since the last time. Call it every few
// seconds.
func (h *Holder) Refresh() {
	h.mu.Lock()
	same := h.seen == stampOf(h.env, h.Current())
	h.mu.Unlock()
	if !same {
		h.reload()
	}
}

func (h *Holder) reload() {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.Current()
	// Take the stamp before the read: then a write in between is noticed the next time.
	h.seen = stampOf(h.env, old)
	read, err := Load(h.env)
	if err == nil && old.Ready() == nil { // an edge runs without the settings that a bot needs
		err = read.Ready()
	}
	if h.wrong.Store(&err); err != nil {
		h.log.Error("settings not changed: the new ones are wrong", "problem", err)
		return
	}
	next := old.take(read, h.log)
	h.current.Store(&next)
	if h.changed != nil && !reflect.DeepEqual(old, next) {
		h.changed(next)
	}
}

// take returns s with every change of read that can take effect while the bot runs, and logs each difference.
func (s Settings) take(read Settings, log *slog.Logger) Settings {
	next := read
	next.texts, next.sources = map[string]string{}, map[string]Source{}
	from, into := reflect.ValueOf(s), reflect.ValueOf(&next).Elem()
	was, is := s.Rows(), read.Rows()
	for i, v := range Variables() {
		origin := read
		if !reflect.DeepEqual(from.Field(v.field).Interface(), into.Field(v.field).Interface()) {
			if v.Restart {
				origin = s
				into.Field(v.field).Set(from.Field(v.field))
				log.Warn("setting changed: restart nod to use it", "setting", v.Name, "uses", was[i].Value, "file", is[i].Value)
			} else {
				log.Info("setting changed", "setting", v.Name, "from", was[i].Value, "to", is[i].Value)
			}
		}
		next.texts[v.Name], next.sources[v.Name] = origin.texts[v.Name], origin.sources[v.Name]
	}
	return next
}

// stamp identifies the versions of the files that settings come from.
type stamp struct{ config, token fileStamp }

type fileStamp struct {
	exists  bool
	changed time.Time
	size    int64
	mode    fs.FileMode
	inode   uint64
}

func stampOf(env Environment, s Settings) stamp {
	return stamp{stampFile(File(env)), stampFile(string(s.TelegramTokenFile))}
}

func stampFile(path string) fileStamp {
	info, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	f := fileStamp{exists: true, changed: info.ModTime(), size: info.Size(), mode: info.Mode()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		f.inode = uint64(sys.Ino)
	}
	return f
}
