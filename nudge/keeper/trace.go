package keeper

import (
	"context"
	"log/slog"

	"nod/nudge"
)

// attributes returns what the log says about an event. The audit trail has all of it.
func attributes(e nudge.Event) []slog.Attr {
	id := slog.String("nudge", e.Nudge)
	if e.Instruction != "" {
		id = slog.String("instruction", e.Instruction)
	}
	switch e.Kind {
	case nudge.PromptDetected:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), slog.String("shape", e.Shape), id, slog.String("by", e.By)}
	case nudge.AgentIdle, nudge.AgentSilent:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), id, slog.String("by", e.By)}
	case nudge.NudgeSent:
		return []slog.Attr{id, slog.Int("reminder", e.Reminder), slog.Any("chat", e.Chat), slog.Int("message", e.Message)}
	case nudge.AnswerReceived:
		return []slog.Attr{id, slog.String("decision", e.Decision), slog.String("by", e.By), slog.String("way", e.Way)}
	case nudge.KeyTyped:
		return []slog.Attr{id, slog.String("pane", e.Pane), slog.Any("keys", e.Keys)}
	case nudge.InstructionQueued, nudge.InstructionSent, nudge.InstructionLate, nudge.WishMade:
		return []slog.Attr{id, slog.String("pane", e.Pane), slog.String("by", e.By)}
	case nudge.CallBlocked, nudge.CallAllowed, nudge.CallLeft, nudge.CallLet, nudge.CallReviewed, nudge.CallStopped, nudge.CallsOver:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), id, slog.String("by", e.By)}
	case nudge.HandedOver:
		return []slog.Attr{id, slog.String("pane", e.Pane)}
	case nudge.SessionStarted, nudge.SessionEnded:
		return []slog.Attr{slog.String("pane", e.Pane), slog.String("agent", e.Agent), slog.String("by", e.By)}
	case nudge.MonitorMatched, nudge.MonitorEnded:
		return []slog.Attr{slog.String("monitor", e.Monitor), slog.Int("count", e.Count), slog.String("state", e.State)}
	case nudge.ClockSet:
		return []slog.Attr{slog.String("by", e.After)}
	case nudge.AnswerRefused:
		if e.Nudge == "" {
			return []slog.Attr{id, slog.String("pane", e.Pane), slog.String("reason", e.Reason), slog.String("by", e.By)}
		}
		return []slog.Attr{id, slog.String("reason", e.Reason)}
	}
	return []slog.Attr{id, slog.String("state", e.State), slog.String("after", e.After)}
}

// Note adds an event without a record to the audit trail, and logs it.
func (k *Keeper) Note(e nudge.Event) error {
	return k.update(func(tx *tx) error { tx.Note(e); return nil })
}

// trace logs events that are on disk already.
func (k *Keeper) trace(events []nudge.Event) {
	for _, e := range events {
		k.cfg.Log.LogAttrs(context.Background(), slog.LevelInfo, e.Kind, attributes(e)...)
	}
}
