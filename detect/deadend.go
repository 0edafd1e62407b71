package detect

import (
	"regexp"
	"strings"
)

// deadEnd is a message after which an agent does nothing until a human acts.
type deadEnd struct {
	message *regexp.Regexp // matched against a message from its beginning
	says    string         // the sentence about it, with the parts of the match
}

const limitReached = "The usage limit is reached."

// deadEnds are the messages of each agent, as it prints them. Claude Code's are those of its error reference
// (code.claude.com/docs/en/errors) and of older versions' bug reports, Codex's and Gemini CLI's those that
// their users report. An error that is being retried is none: the agent works.
var deadEnds = map[string][]deadEnd{
	claude.name: {
		// "You've hit your session limit · resets 12:50am (America/Los_Angeles)"
		limit(`You've hit your (?:[\w-]+ )*limit`, `resets`),
		// "Claude usage limit reached. Your limit will reset at 3pm (America/New_York)."
		limit(`Claude (?:AI )?usage limit reached`, `Your limit will reset at`),
		// "Weekly limit reached · resets 10am (Asia/Seoul)", "5-hour limit reached ∙ resets 3pm"
		limit(`(?:[\w-]+ )*limit reached`, `resets`),
		said(`(?:API Error: 400 .*)?You're out of (?:extra )?usage`, limitReached),
		said(`Credit balance (?:is )?too low`, "The account has no credit left: add some, then tell the agent to go on."),
		said(`(?:Not logged in|Invalid API key|OAuth token (?:revoked|has expired)|OAuth session expired|(?:Failed to authenticate\. )?API Error: 401|Please run /login)\b`,
			"The login has expired or is not valid: run /login in the agent."),
		said(`(API Error: (?:Repeated )?\d{3})\b`, "The model could not be reached and the agent does not try again ($1)."),
		said(`(API Error: (?:Connection error|Request timed out)|Unable to connect to API|Request timed out)\b`,
			"The model could not be reached and the agent does not try again ($1)."),
	},
	codex.name: {
		// "You've hit your usage limit. Upgrade to Pro (…) or try again at Nov 20th, 2025 4:44 PM."
		limit(`You've hit your usage limit`, `[Tt]ry again (?:at|in)`),
		said(`(?:Your access token could not be refreshed|(?:exceeded retry limit, last status: |unexpected status )401\b)`,
			"The login has expired or is not valid: log in to the agent again."),
		said(`(exceeded retry limit(?:, last status: \d{3})?|unexpected status \d{3}|stream disconnected before completion)`,
			"The model could not be reached and the agent does not try again ($1)."),
		said(`Quota exceeded`, "The account has no credit left: add some, then tell the agent to go on."),
	},
	gemini.name: {
		limit(`(?:\[API Error: )?(?:Usage limit reached for|You have (?:reached|exhausted) your daily|You exceeded your current quota)`, `(?:Access resets at|Please retry in)`),
		said(`\[?(API Error: [\w ]{1,60})`, "The model could not be reached and the agent does not try again ($1)."),
	},
	qwen.name: {
		said(`\[?(API Error: [\w ]{1,60})`, "The model could not be reached and the agent does not try again ($1)."),
	},
}

// limit is a usage limit, and when it ends where the message says so after those words.
func limit(message, until string) deadEnd {
	return said(message+`(?:.{0,200}?`+until+` (\w[^·∙|()/]{0,40}(?:\([\w/+-]+\))?))?`, limitReached)
}

func said(message, says string) deadEnd {
	return deadEnd{message: regexp.MustCompile(`^(?:` + message + `)`), says: says}
}

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

// blockedBy says at which dead end an agent is by the last message above its input box; empty: at none.
func blockedBy(agent string, s Screen, r Reading) string {
	known := deadEnds[agent]
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
		text := strings.TrimLeft(row, ornaments)
		for j := i + 1; j < min(i+messageRows, end) && strings.TrimSpace(s.Rows[j].Text) != ""; j++ {
			text += " " + strings.TrimSpace(s.Rows[j].Text)
		}
		for _, d := range known {
			if says, ok := d.match(text); ok {
				return says
			}
		}
		if strings.ContainsAny(string([]rune(row)[:1]), turns) {
			return ""
		}
	}
	return ""
}

func (d deadEnd) match(text string) (says string, ok bool) {
	found := d.message.FindStringSubmatchIndex(text)
	if found == nil || strings.Contains(strings.ToLower(text), "retrying") {
		return "", false
	}
	if d.says == limitReached && len(found) > 2 && found[2] >= 0 {
		return "The usage limit is reached; it ends: " + strings.TrimRight(text[found[2]:found[3]], " .") + ".", true
	}
	return string(d.message.ExpandString(nil, d.says, text, found)), true
}
