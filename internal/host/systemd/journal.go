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

// The marks by which the journal knows the level of a line: sd-daemon(3).
const (
	ErrorMark  = "<3>"
	NoticeMark = "<5>"
)

// NewLog writes one line an event to w, which is standard error. Where that is the journal each line tells its level as
// the journal reads it, and leaves the time to it.
func NewLog(w io.Writer, format settings.LogFormat, level slog.Leveler) *slog.Logger {
	if ToJournal() {
		return slog.New(newJournalHandler(w, format, level))
	}
	return slog.New(newHandler(w, format, &slog.HandlerOptions{Level: level}))
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

// journalHandler writes each record behind the `<N>` by which the journal knows its level: sd-daemon(3).
type journalHandler struct {
	mu   *sync.Mutex
	w    io.Writer
	line *bytes.Buffer // what lines has written of one record; guarded by mu
	next slog.Handler
}

func newJournalHandler(w io.Writer, format settings.LogFormat, level slog.Leveler) slog.Handler {
	line := new(bytes.Buffer)
	next := newHandler(line, format, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTimeAndLevel})
	return &journalHandler{mu: new(sync.Mutex), w: w, line: line, next: next}
}

// withoutTimeAndLevel leaves out what the journal has of its own.
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
