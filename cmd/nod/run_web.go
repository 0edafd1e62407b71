package main

import (
	"context"
	"encoding/json"
	"slices"

	"nod/bot/message"
	"nod/cmd/internal/control"
	"nod/cmd/internal/desk/web"
	"nod/internal/settings"
	"nod/nudge"
)

// pageOf makes the page's server; nil if NOD_WEB names no address.
func (all *parts) pageOf(s settings.Settings) *web.Server {
	if s.Web == "" {
		return nil
	}
	return web.New(web.Config{
		Address:    string(s.Web),
		Public:     string(s.WebURL),
		Token:      s.TelegramToken.Reveal(),
		Telegram:   web.Telegram,
		Supervises: func(user int64) bool { return slices.Contains(all.holder.Current().Supervisors, user) },
		Watch:      all.feed.Watch,
		View:       all.feed.View,
		Call: func(ctx context.Context, v web.Visitor, method string, params any) (json.RawMessage, error) {
			from := control.Visitor{Processes: v.Processes, KeyAlone: v.KeyAlone}
			if v.User != 0 {
				from.By = nudge.Person{ID: message.Place(v.User), Name: v.Name}
			}
			return all.control.CallFor(ctx, from, method, params)
		},
		Log: all.log,
	})
}

// runPage serves the page, if there is one, until ctx ends.
func (all *parts) runPage(ctx context.Context) error {
	if all.page == nil {
		return nil
	}
	return all.page.Run(ctx)
}

// linksOf returns the socket's view of the page; nil if there is none.
func linksOf(page *web.Server) *control.Page {
	if page == nil {
		return nil
	}
	return &control.Page{Link: page.Link, Revoke: page.Revoke}
}
