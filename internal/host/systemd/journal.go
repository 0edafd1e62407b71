package systemd

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"

	"github.com/coreos/go-systemd/v22/journal"

	"nod/internal/settings"
)

// The prefixes that give a line's level to the journal: sd-daemon(3).
const (
	ErrorMark  = "<3>"
	NoticeMark = "<5>"
)

// NewLog returns a logger that writes one line per event to w, which is standard error. If that leads to the
// journal, each line begins with its level in the journal's form and has no time, which the journal adds.
// say gives what is written in place of a value.
func NewLog(w io.Writer, format settings.LogFormat, level slog.Leveler, say func(slog.Value) slog.Value) *slog.Logger {
	said := func(_ []string, a slog.Attr) slog.Attr { return slog.Attr{Key: a.Key, Value: say(a.Value)} }
	if ToJournal() {
		return slog.New(newJournalHandler(w, format, level, said))
	}
	return slog.New(newHandler(w, format, &slog.HandlerOptions{Level: level, ReplaceAttr: said}))
}

func newHandler(w io.Writer, format settings.LogFormat, options *slog.HandlerOptions) slog.Handler {
	if format == settings.LogJSON {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// ToJournal reports whether standard error leads to the journal.
func ToJournal() bool {
	leads, err := journal.StderrIsJournalStream()
	return err == nil && leads
}

// journalHandler writes each record after the `<N>` prefix that gives its level to the journal: sd-daemon(3).
type journalHandler struct {
	mu   *sync.Mutex
	w    io.Writer
	line *bytes.Buffer // what lines has written for one record; guarded by mu
	next slog.Handler
}

func newJournalHandler(w io.Writer, format settings.LogFormat, level slog.Leveler, said func([]string, slog.Attr) slog.Attr) slog.Handler {
	line := new(bytes.Buffer)
	next := newHandler(line, format, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		return said(groups, withoutTimeAndLevel(groups, a))
	}})
	return &journalHandler{mu: new(sync.Mutex), w: w, line: line, next: next}
}

// withoutTimeAndLevel drops the attributes that the journal adds itself.
func withoutTimeAndLevel(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return slog.Attr{}
	}
	return a
}

func (h *journalHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *journalHandler) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.line.Reset()
	h.line.WriteString("<" + strconv.Itoa(int(priority(r.Level))) + ">")
	if err := h.next.Handle(ctx, r); err != nil {
		return err
	}
	_, err := h.w.Write(h.line.Bytes())
	return err
}

func (h *journalHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.next = h.next.WithAttrs(attrs)
	return &with
}

func (h *journalHandler) WithGroup(name string) slog.Handler {
	with := *h
	with.next = h.next.WithGroup(name)
	return &with
}

func priority(level slog.Level) journal.Priority {
	switch {
	case level >= slog.LevelError:
		return journal.PriErr
	case level >= slog.LevelWarn:
		return journal.PriWarning
	case level >= slog.LevelInfo:
		return journal.PriInfo
	}
	return journal.PriDebug
}
