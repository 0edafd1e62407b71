package nudge

import (
	"context"
	"log/slog"
)

// attributes are what the log says about an event; the audit trail keeps all of it.
func (e Event) attributes() []slog.Attr {
	nudge := slog.String("nudge", e.Nudge)
	switch e.Kind {
	case promptDetected:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), slog.String("shape", e.Shape), nudge, slog.String("by", e.By)}
	case agentIdle, agentSilent:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), nudge, slog.String("by", e.By)}
	case nudgeSent:
		return []slog.Attr{nudge, slog.Int("reminder", e.Reminder), slog.Int64("chat", e.Chat), slog.Int("message", e.Message)}
	case answerReceived:
		return []slog.Attr{nudge, slog.String("decision", e.Decision), slog.String("by", e.By), slog.String("way", e.Way)}
	case keyTyped:
		return []slog.Attr{nudge, slog.String("pane", e.Pane), slog.Any("keys", e.Keys)}
	case refusedAnswer:
		return []slog.Attr{nudge, slog.String("reason", e.Reason)}
	}
	return []slog.Attr{nudge, slog.String("state", e.State), slog.String("after", e.After)}
}

// trace logs events that are on disk already.
func (k *Keeper) trace(events []Event) {
	for _, e := range events {
		k.log.LogAttrs(context.Background(), slog.LevelInfo, e.Kind, e.attributes()...)
	}
}
