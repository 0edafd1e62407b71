//go:build agents

package model

import (
	"fmt"
	"strings"
)

// Guard plays the check of auto mode. Flag gives why a call is flagged, by its input as JSON, or a text that holds it; empty: it is let through.
// Claude Code 2.1.330 gets the verdicts in the model's own answer, 2.1.166, Codex and Qwen ask for them.
func (m *Model) Guard(flag func(input string) (reason string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.guard = flag
}

// NoVerdict as the reason of a flag says that the check has failed: it neither flags the call nor lets it through.
const NoVerdict = "no verdict"

// Play has a scenario go as next says, given the results of its calls so far and how often the agent was told that it may retry: the
// commands that are called side by side next. None end it.
func (m *Model) Play(scenario string, next func(results []Result, hints int) (commands []string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.plays[scenario] = next
}

// mayRetry is how Claude Code (2.1.330, 2.1.166; then 2.1.332) passes on that a hook answered so. It names no call.
var mayRetry = []string{"may retry this tool call", "The refusal above is not final for this call"}

// played is the next step of a scenario that a test plays; ok is false for any other.
func (m *Model) played(name string, at int, req request) (s step, ok bool) {
	next := m.plays[name]
	if next == nil {
		return step{}, false
	}
	hints := 0
	for _, t := range req.turns[at:] {
		for _, said := range append(mayRetry, "Try this call again", "Repeat this call exactly") {
			hints += strings.Count(t.text, said)
		}
	}
	for _, c := range next(req.results(at), hints) {
		s.calls = append(s.calls, command(name, c))
	}
	return s, true
}

// asksGuard reports whether a request is 2.1.166's own check of a call, which offers no tool of the agent's.
func (r request) asksGuard() bool {
	_, shell := r.find(shell)
	return !shell && strings.Contains(r.system, "<block>")
}

// guards answers such a request.
func (m *Model) guards(req request) answer {
	a := answer{id: m.serial, text: "<block>no</block>"}
	if m.guard == nil {
		return a
	}
	var asked strings.Builder // it has the whole conversation in several pieces, a line each, the call last
	for _, t := range req.turns {
		asked.WriteString(t.text)
	}
	conversation, _, _ := strings.Cut(asked.String(), "</transcript>")
	conversation = strings.TrimSpace(conversation)
	switch reason := m.guard(conversation[strings.LastIndex(conversation, "\n")+1:]); reason {
	case "":
	case NoVerdict:
		a.status = 400 // which is not tried again
	default:
		a.text = "<block>yes</block><reason>" + reason + "</reason>"
	}
	return a
}

// reviews answers Codex's reviewer and Qwen's classifier, which ask for a verdict by a schema of their own; ok is false for any other request.
func (m *Model) reviews(req request) (a answer, ok bool) {
	properties, _ := req.form["properties"].(obj)
	_, codex := properties["outcome"]
	classifier, qwen := req.named("respond_in_schema")
	if !codex && !qwen {
		return answer{}, false
	}
	a = answer{id: m.serial}
	reason := ""
	if last := len(req.turns) - 1; m.guard != nil && last >= 0 {
		reason = m.guard(req.turns[last].text)
	}
	if qwen && reason == NoVerdict {
		a.status = 400 // which is not tried again
		return a, true
	}
	if qwen {
		args := obj{}
		wanted, _ := classifier.schema["properties"].(obj)
		for field, says := range (obj{"thinking": "scripted", "shouldBlock": reason != "", "reason": reason}) {
			if wanted[field] != nil { // the first stage wants the verdict alone
				args[field] = says
			}
		}
		a.calls = []toolCall{{id: fmt.Sprintf("call_%d_0", m.serial), name: classifier.name, args: args}}
		return a, true
	}
	outcome := "allow"
	if reason != "" {
		outcome = "deny"
	}
	a.text = mustJSON(obj{"risk_level": "high", "user_authorization": "unknown", "outcome": outcome, "rationale": reason})
	return a, true
}

// safeguards are the verdicts about the calls of an answer; nil where they were not asked for.
func (m *Model) safeguards(req request, a answer) obj {
	if m.guard == nil || !req.safeguards {
		return nil
	}
	uses := obj{}
	for _, c := range a.calls {
		uses[c.id] = obj{"type": "evaluated", "outcome": "not_flagged"}
		switch reason := m.guard(c.argsJSON()); reason {
		case "":
		case NoVerdict:
			uses[c.id] = obj{"type": "unavailable", "reason": "overloaded"}
		default:
			uses[c.id] = obj{"type": "evaluated", "outcome": "flagged", "explanation": reason}
		}
	}
	return obj{"safeguard_results": list{obj{"type": "dangerous_tool_use", "status": obj{"type": "available", "tool_uses": uses}}}}
}
