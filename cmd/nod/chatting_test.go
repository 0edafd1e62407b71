package main

import (
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"nod/internal/botapi"
)

// chatting is a script's chat with the bot.
type chatting struct{ ann *botapi.Person }

func chatOfScript(ts *testscript.TestScript) *botapi.Person {
	return ts.Value("chat").(*chatting).ann
}

// startTelegram has the script's bot reach a Bot API in which its supervisor has pressed Start.
func startTelegram(ts *testscript.TestScript, _ bool, _ []string) {
	tg := botapi.New(botapi.Options{Token: ts.Getenv("NOD_TELEGRAM_TOKEN")})
	server := httptest.NewServer(tg)
	ts.Defer(func() {
		server.CloseClientConnections()
		server.Close()
	})
	ann := tg.Person(1, "Ann")
	ann.Start()
	ts.Value("chat").(*chatting).ann = ann
	ts.Setenv("NOD_TELEGRAM_API", server.URL)
}

// sayToBot writes to the bot.
func sayToBot(ts *testscript.TestScript, _ bool, args []string) { chatOfScript(ts).Say(args[0]) }

// untilTold waits until a message of the chat matches a pattern, and taps one of its buttons if it is given.
func untilTold(ts *testscript.TestScript, _ bool, args []string) {
	wanted, ann := regexp.MustCompile(args[0]), chatOfScript(ts)
	waitFor(ts, "a message: "+args[0], func() bool {
		for _, m := range ann.Messages() {
			if !wanted.MatchString(m.Text) {
				continue
			}
			if len(args) == 1 {
				return true
			}
			if b, ok := buttonOf(m, args[1]); ok {
				ann.TapData(m.ID, b.Data)
				return true
			}
		}
		return false
	})
}

func buttonOf(m botapi.Record, part string) (botapi.Button, bool) {
	if m.Markup == nil {
		return botapi.Button{}, false
	}
	all := slices.Concat(m.Markup.Rows...)
	at := slices.IndexFunc(all, func(b botapi.Button) bool { return strings.Contains(b.Text, part) })
	if at < 0 {
		return botapi.Button{}, false
	}
	return all[at], true
}
