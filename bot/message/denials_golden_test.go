package message

import (
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/grant"
)

// TestDenialMessages: what is said of calls that an agent's guard denied.
func TestDenialMessages(t *testing.T) {
	sum := strings.Repeat("s", 43)
	call := func(text string, change func(*nudge.Denial)) nudge.Denial {
		c := nudge.Denial{
			Sum: sum, Tool: "Bash", Folder: "/home/ann/api", Mode: "auto", Text: text, Lead: 1, Count: 1, At: noon,
			Reason: "[Git Destructive] Force-pushing main rewrites shared history.",
		}
		if change != nil {
			change(&c)
		}
		return c
	}
	message := func(calls ...nudge.Denial) nudge.Denials {
		return nudge.Denials{
			ID: "k3f", Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{ID: "%2"}, Agent: "claude", Project: "api", Where: "main:2.0"}},
			Calls: calls, Made: noon, Due: noon.Add(8 * time.Hour),
		}
	}
	by := nudge.Person{ID: "42", Name: "Ann"}
	outside := func(d nudge.Denials) nudge.Denials {
		d.Whereabouts = detect.Whereabouts{Agent: "claude", Project: "api"}
		return d
	}
	granted := func(state grant.State) func(*nudge.Denial) {
		return func(c *nudge.Denial) { c.By, c.Grant.State = by, state }
	}
	push := "git push --force origin main"
	style := goldenStyle()
	masking, minimal := style, style
	masking.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
	minimal.Minimal = true
	show := func(d nudge.Denials) Outgoing { return Denials(d, goldenChat, goldenSeal, style) }
	over := message(call(push, granted(grant.Used)), call("rm -rf build", nil))
	over.Ended, over.Detail = noon, reason.Why{Kind: reason.DenialAtTerminal}
	taking := func(how nudge.Taking, state grant.State) func(*nudge.Denial) {
		return func(c *nudge.Denial) {
			if c.Folder, c.Mode, c.Taking, c.Grant.State = "", "", how, state; state != "" {
				c.By = by
			}
		}
	}
	five, more := message(), message()
	more.More = true
	for range 5 {
		long := call(strings.Repeat("rm -rf build\n", 60), func(c *nudge.Denial) { c.Reason = strings.Repeat("why ", 200) })
		five.Calls = append(five.Calls, long)
		long.Folder, long.By, long.Grant.State = "/home/ann/"+strings.Repeat("api/", 100), by, grant.Unknown
		more.Calls = append(more.Calls, long)
	}
	for name, out := range map[string]Outgoing{
		"denied":         show(message(call(push, func(c *nudge.Denial) { c.Held = noon.Add(time.Minute) }))),
		"denied-lines":   show(message(call("git push \\\n  --force\n\ntimeout: 5", func(c *nudge.Denial) { c.Count, c.Part = 2, "a1" }))),
		"denied-several": show(message(call(push, granted(grant.Open)), call("rm -rf build", func(c *nudge.Denial) { c.Left, c.By = true, by }), call("curl http://x", nil))),
		"denied-masked":  Denials(message(call("login hunter2 <&>", nil)), goldenChat, goldenSeal, masking),
		"denied-minimal": Denials(message(call(push, nil)), goldenChat, goldenSeal, minimal),
		"denied-flaw":    show(message(call(push, func(c *nudge.Denial) { c.Flaw = reason.Why{Kind: reason.DenialUncomparable} }))),
		"denied-five":    show(five),
		"denied-more":    show(more),
		"denied-list": show(message(
			call(push, taking(nudge.OnList, "")), call(push, taking(nudge.OnList, grant.Open)), call(push, taking(nudge.OnList, grant.Used)), call(push, taking(nudge.OnList, grant.Unknown)),
			call(push, taking(nudge.OnList, grant.Expired)))),
		"denied-server": show(outside(message(
			call(push, taking(nudge.ByServer, "")), call(push, taking(nudge.ByServer, grant.Open)), call(push, taking(nudge.ByServer, grant.Used)), call(push, taking(nudge.ByServer, grant.Unknown)),
			call(push, taking(nudge.ByServer, grant.Expired))))),
		"denied-words":   show(message(call(push, taking(nudge.ByWords, "")), call(push, taking(nudge.ByWords, grant.Used)))),
		"denied-unseen":  DenialUnseen(message(call("login hunter2", nil)), 0, goldenChat, goldenSeal, masking),
		"denied-over":    DenialsOver(over, style),
		"denied-outside": show(outside(message(call(push, granted(grant.Open)), call("make", nil)))),
		"denied-queue":   Queue(nil, []nudge.Denials{message(call(push, nil), call("make", granted(grant.Open))), message(call("rm -rf build\nls", nil))}, goldenChat, goldenSeal, style, noon.Add(time.Minute)),
	} {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, out) })
	}
	for _, state := range []grant.State{grant.Open, grant.Taken, grant.Used, grant.Unknown, grant.Expired, grant.Void, grant.Asked, grant.Own} {
		out := show(message(call(push, granted(state))))
		if !strings.Contains(out.Page.Plain, "by Ann") || len(out.Keys) > 0 != (state == grant.Open) {
			t.Errorf("%s: %q with %v", state, out.Page.Plain, out.Keys)
		}
	}
}

// TestARowOfADeniedCallIsNeverAnothers: what a message shows of a call, and its buttons, stay when others come.
func TestARowOfADeniedCallIsNeverAnothers(t *testing.T) {
	d := nudge.Denials{ID: "k3f", Addressee: nudge.Addressee{Whereabouts: detect.Whereabouts{Agent: "claude", Project: "api"}}}
	var last Outgoing
	for i, text := range []string{"make", strings.Repeat("rm -rf build\n", 90), "git push --force", "a", "b"} {
		d.Calls = append(d.Calls, nudge.Denial{Sum: strings.Repeat(string(rune('a'+i)), 43), Text: text, Mode: "auto", Folder: "/p", Count: 1})
		out := Denials(d, goldenChat, goldenSeal, goldenStyle())
		before := strings.TrimSuffix(last.Page.Plain, "#k3f")
		if !strings.HasPrefix(out.Page.Plain, before) || len(out.Keys) != i+1 {
			t.Fatalf("%q was %q, %d rows", out.Page.Plain, before, len(out.Keys))
		}
		for j, row := range last.Keys {
			if row[0] != out.Keys[j][0] || row[1] != out.Keys[j][1] {
				t.Errorf("row %d is %v and was %v", j, out.Keys[j], row)
			}
		}
		for _, row := range out.Keys {
			for _, b := range row {
				if len(b.Data) > 64 {
					t.Errorf("%q has %d bytes", b.Data, len(b.Data))
				}
			}
		}
		last = out
	}
	if p, ok := goldenSeal.Open(last.Keys[2][0].Data, goldenChat); !ok || p.Option != 2 || p.Shown().Subject != d.Fingerprint(2) {
		t.Errorf("%+v", p)
	}
	if p, ok := goldenSeal.Open(last.Keys[1][0].Data, goldenChat); !ok || p.Shown().Subject != "" {
		t.Errorf("a call that is cut: %+v", p)
	}
}

// TestADeniedCallHasTheSameRisksEverywhere: what lies in the agent's own project is not outside of it, in the chat as on a card.
func TestADeniedCallHasTheSameRisksEverywhere(t *testing.T) {
	const said = "names something outside the project"
	for text, outside := range map[string]bool{"make -C /home/ann/api": false, "make -C /home/ann/web": true} {
		d := nudge.Denials{ID: "k3f", Calls: []nudge.Denial{{Sum: strings.Repeat("s", 43), Text: text}}}
		d.Project = "api"
		style := NewStyle("", false, nil, nil)
		chat, card := Denials(d, goldenChat, goldenSeal, style).Page.Plain, BlockedTold(d.Calls[0], d.Project, style).Minds
		if strings.Contains(chat, said) != outside || strings.Contains(strings.Join(card, " "), said) != outside {
			t.Errorf("%s: the chat says %q, the card %q", text, chat, card)
		}
		if last := card[len(card)-1]; last != "Its guard blocked it." { // its folder is not known
			t.Errorf("the card says %q", last)
		}
	}
}
