package main

import (
	"nod/bot"
	"nod/bot/message"
	"nod/cmd/internal/desk"
	"nod/detect"
	"nod/internal/settings"
	"nod/internal/text/redact"
	"nod/nudge"
)

// This file passes each part its settings.

func watchSettings(s settings.Settings) detect.WatchSettings {
	return detect.WatchSettings{Servers: s.TmuxSocket, Interval: s.PollInterval, StablePolls: s.StablePolls}
}

func rules(s settings.Settings) nudge.Rules {
	r := nudge.Rules{
		Cadence: s.Cadence, Expiry: s.Expiry, Presence: s.Presence, Grace: s.Grace,
		Idle: s.Idle != settings.IdleOff, Loud: s.Idle == settings.IdleOn, Pin: bool(s.Pin),
	}
	if s.Quiet.Zone != nil {
		r.Quiet = &s.Quiet
	}
	if !s.Telegram {
		return r // without a chat nobody is told or answers there
	}
	for _, id := range s.Supervisors {
		r.Supervisors = append(r.Supervisors, message.Place(id))
	}
	for _, id := range s.Watchers {
		r.Watchers = append(r.Watchers, message.Place(id))
	}
	if s.Chat != 0 {
		r.Chat = message.Place(int64(s.Chat))
	}
	return r
}

func chatSettings(s settings.Settings, health func() []string) bot.Settings {
	c := bot.Settings{Supervisors: s.Supervisors, Watchers: s.Watchers, Host: string(s.Host), Preview: string(s.Preview), Page: string(s.WebURL), RingRisky: s.Ring == settings.RingRisky, Health: health,
		Topics: bool(s.Topics), Chat: int64(s.Chat), Transcribe: s.Transcribe}
	if s.Redact {
		c.Redact = redact.Mask
	}
	for _, row := range s.Rows() {
		if row.Source != settings.FromDefault && row.Value != "" {
			c.Lines = append(c.Lines, row.Variable+"="+row.Value)
		}
	}
	return c
}

func cardStyle(s settings.Settings) desk.Style {
	style := desk.Style{Host: string(s.Host)}
	if s.Redact {
		style.Redact = redact.Mask
	}
	return style
}
