package bot

import (
	"context"

	"nod/bot/message"
	"nod/nudge"
)

// sendDiff sends the changes that an agent made in its turn, and returns the text to show after the tap. nod
// knows them only from the agent's own events. It never asks git, because git's settings in the agent's
// folder may run programs.
func (b *Bot) sendDiff(chat int64, number int, r message.Renderer) string {
	out, ok := r.Diff()
	if !ok {
		return "nod keeps that no longer than the agent waits."
	}
	b.queue(chat, job{what: "a diff", do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		out.ReplyTo, out.Silent = number, true
		if out.File != nil {
			if err := s.sendFile(ctx, out); err != nil {
				return nil, err
			}
		}
		_, err := s.send(ctx, out)
		return nil, err
	}})
	return ""
}
