package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// deadEnd is a message after which an agent does nothing until a human acts.
type deadEnd struct {
	message lazy.Regexp // matches the beginning of the message
	kind    reason.Kind // its meaning; the first group of the match says more
}

// limit is a usage limit. If the message says when it ends, the time follows the words until.
func limit(message, until string) deadEnd {
	return said(message+`(?:.{0,200}?`+until+` (\w[^·∙|()/]{0,40}(?:\([\w/+-]+\))?))?`, reason.LimitReached)
}

// said is a dead end whose message begins like the regular expression.
func said(message string, kind reason.Kind) deadEnd {
	return deadEnd{message: lazy.MustCompile(`^(?:` + message + `)`), kind: kind}
}

const (
	// lastMessage is the number of rows above the input box in which an agent's last message is looked for.
	lastMessage = 10
	// messageRows is how many of its rows are joined, since it may wrap.
	messageRows = 4
)

// ornaments are the characters that agents draw before an error. turns begin another message, of the agent or of a human.
const (
	ornaments = " \t\u00a0⎿■✕✖⚠⚡⏺●•│└╰"
	turns     = "⏺●•>❯›"
)

// blockedBy is the known dead end in the last message above an agent's input box; zero: none.
func blockedBy(known []deadEnd, s screen.Screen, r screen.Reading) reason.Why {
	if r.State != screen.Idle && r.State != screen.Silent {
		return reason.Why{}
	}
	end := len(s.Rows)
	if r.Composer != nil {
		end = min(r.Composer.Row, end)
	}
	seen := 0
	for i := end - 1; i >= 0 && seen < lastMessage; i-- {
		row := strings.TrimSpace(s.Rows[i].Text)
		if strings.Trim(row, "─━╭╮╰╯│ ") == "" {
			continue
		}
		seen++
		message := messageAt(s, i, end)
		for _, d := range known {
			if says := d.match(message); !says.IsZero() {
				return says
			}
		}
		if strings.ContainsAny(string([]rune(row)[:1]), turns) {
			return reason.Why{}
		}
	}
	return reason.Why{}
}

// messageAt is the message that begins in row i, without the ornaments before it.
func messageAt(s screen.Screen, i, end int) string {
	text := strings.TrimLeft(strings.TrimSpace(s.Rows[i].Text), ornaments)
	for j := i + 1; j < min(i+messageRows, end) && strings.TrimSpace(s.Rows[j].Text) != ""; j++ {
		text += " " + strings.TrimSpace(s.Rows[j].Text)
	}
	return text
}

// match is what a message says if it is this one; zero: it is not.
func (d deadEnd) match(text string) (says reason.Why) {
	found := d.message().FindStringSubmatchIndex(text)
	if found == nil || strings.Contains(strings.ToLower(text), "retrying") {
		return reason.Why{}
	}
	says.Kind = d.kind
	if len(found) > 2 && found[2] >= 0 {
		says.What = strings.TrimRight(text[found[2]:found[3]], " .")
		if d.kind == reason.LimitReached {
			says.Kind = reason.LimitUntil
		}
	}
	return says
}
