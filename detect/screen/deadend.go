package screen

import (
	"regexp"
	"strings"
)

// DeadEnd is a message after which an agent does nothing until a human acts.
type DeadEnd struct {
	message *regexp.Regexp // matched against a message from its beginning
	says    string         // the sentence about it, with the parts of the match
}

const limitReached = "The usage limit is reached."

// NoCredit is what is said where an account has nothing left.
const NoCredit = "The account has no credit left: add some, then tell the agent to go on."

// Limit is a usage limit, and when it ends where the message says so after those words.
func Limit(message, until string) DeadEnd {
	return Said(message+`(?:.{0,200}?`+until+` (\w[^·∙|()/]{0,40}(?:\([\w/+-]+\))?))?`, limitReached)
}

// Unreachable is a message that the model could not be reached and is not tried again, the regular expression of its beginning.
func Unreachable(message string) DeadEnd {
	return Said(message, "The model could not be reached and the agent does not try again ($1).")
}

// Said is a message, the regular expression of its beginning, and the sentence about it.
func Said(message, says string) DeadEnd {
	return DeadEnd{message: regexp.MustCompile(`^(?:` + message + `)`), says: says}
}

// Reached is what is said where a usage limit is all that is known.
func Reached(message string) DeadEnd { return Said(message, limitReached) }

const (
	// lastMessage is how many rows above the input box an agent's last message is looked for.
	lastMessage = 10
	// messageRows is how many rows of it are joined, since it may wrap.
	messageRows = 4
)

// ornaments are what agents draw before an error. turns are what begins another message, of the agent or
// of a human.
const (
	ornaments = " \t⎿■✕✖⚠⚡⏺●•│└╰"
	turns     = "⏺●•>❯›"
)

// BlockedBy says in a sentence at which of the dead ends an agent is by the last message above its input box; empty: at none.
func BlockedBy(known []DeadEnd, s Screen, r Reading) string {
	if len(known) == 0 || r.State != Idle && r.State != Silent {
		return ""
	}
	end := len(s.Rows)
	if r.Composer != nil {
		end = min(r.Composer.Row, end)
	}
	seen := 0
	for i := end - 1; i >= 0 && seen < lastMessage; i-- {
		row := strings.TrimSpace(s.Rows[i].Text)
		if row == "" || strings.Trim(row, "─━╭╮╰╯│ ") == "" {
			continue
		}
		seen++
		if says := blocked(known, messageAt(s, i, end)); says != "" {
			return says
		}
		if strings.ContainsAny(string([]rune(row)[:1]), turns) {
			return ""
		}
	}
	return ""
}

// messageAt is the message that begins in row i, without what is drawn before it.
func messageAt(s Screen, i, end int) string {
	text := strings.TrimLeft(strings.TrimSpace(s.Rows[i].Text), ornaments)
	for j := i + 1; j < min(i+messageRows, end) && strings.TrimSpace(s.Rows[j].Text) != ""; j++ {
		text += " " + strings.TrimSpace(s.Rows[j].Text)
	}
	return text
}

func blocked(known []DeadEnd, text string) string {
	for _, d := range known {
		if says, ok := d.match(text); ok {
			return says
		}
	}
	return ""
}

func (d DeadEnd) match(text string) (says string, ok bool) {
	found := d.message.FindStringSubmatchIndex(text)
	if found == nil || strings.Contains(strings.ToLower(text), "retrying") {
		return "", false
	}
	if d.says == limitReached && len(found) > 2 && found[2] >= 0 {
		return "The usage limit is reached; it ends: " + strings.TrimRight(text[found[2]:found[3]], " .") + ".", true
	}
	return string(d.message.ExpandString(nil, d.says, text, found)), true
}
