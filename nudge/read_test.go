package nudge

import (
	"strings"
	"testing"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/words"
)

// TestWhatAReplyMeans tries every kind of nudge and the replies to it.
func TestWhatAReplyMeans(t *testing.T) {
	idle := noPromptIn(Pending, noPrompt(screen.Idle, thisTurn, true, ""))
	silent := noPromptIn(Pending, noPrompt(screen.Silent, thisTurn, false, ""))
	permission, question, field, letters := in(Pending), in(Pending), in(Pending), in(Pending)
	for _, n := range []*Nudge{question, field, letters} {
		n.About = Question{n.Prompt()}
	}
	question.Prompt().Options = []screen.Option{{Key: "2", Label: "Red"}, {Key: "4", Label: "Blue"}}
	letters.Prompt().Options = []screen.Option{{Key: "r", Label: "Red"}, {Key: "", Label: "Blue"}}
	field.Prompt().TextField = true
	const decides, inWords, hint = "decides", "words", "hint"
	for _, c := range []struct {
		n    *Nudge
		text string
		want string // "decides", "words", "hint", the label of an option, or what a refusal holds
	}{
		{permission, "y", decides}, {permission, "NO", decides}, {permission, "yeah sure", hint}, {permission, "1", hint}, {permission, "", hint},
		{question, "y", decides}, {question, "4", "Blue"}, {question, "#2.", "Red"}, {question, "1", "no option 1"}, {question, "red", "Red"}, {question, "pale red", inWords}, {question, "", hint},
		{letters, "1", "Red"}, {letters, "2", "Blue"}, {letters, "3", "no option 3"},
		{field, "use the second", inWords}, {field, "7", inWords}, {field, "", hint},
		{idle, "commit", inWords}, {idle, "2", inWords}, {idle, "y", "/tell"}, {idle, " DENY ", "/tell"}, {idle, "", "Only text"},
		{silent, "y", decides}, {silent, "go on", inWords}, {silent, "", hint},
	} {
		a := Answer{Way: ByReply, Said: Said{Text: c.text}}
		a.Decision, _, _ = ParseWord(c.text, ByReply)
		read, v := c.n.Read(a)
		var got string
		switch {
		case v.Kind == NoAnswer:
			got = hint
		case v.Kind == Rejected:
			if got = words.Why(v.Detail); strings.Contains(words.Why(v.Detail), c.want) {
				got = c.want
			}
		case read.Choice != nil && read.Text == "" && read.Decision == "":
			got = read.Choice.Label
		case read.Text != "" && read.Decision == "":
			got = inWords
		case read.Decision != "" && read.Text == "":
			got = decides
		}
		if got != c.want {
			t.Errorf("%q to %s: %+v, %s %q, want %q", c.text, c.n.Kind(), read, v.Kind, words.Why(v.Detail), c.want)
		}
	}
}

// TestARefusalSaysWhatAnswers: a reply that is not an answer is refused with the possible answers.
func TestARefusalSaysWhatAnswers(t *testing.T) {
	options := []screen.Option{{Key: "1", Label: "Red"}, {Key: "2", Label: "Blue"}}
	textOnly := []screen.Option{{Key: "1", Label: "Type something", Scope: screen.Text}}
	for name, c := range map[string]struct {
		prompt screen.Prompt
		want   string
	}{
		"options":                {screen.Prompt{Content: screen.Content{Options: options}}, ": reply with the number of one of its options, or tap it."},
		"options and words":      {screen.Prompt{Content: screen.Content{Options: options}, Field: screen.Field{TextField: true}}, ", or tap it, or reply with your own words."},
		"words alone":            {screen.Prompt{Field: screen.Field{TextField: true}}, ": reply with your words."},
		"words behind an option": {screen.Prompt{Content: screen.Content{Options: textOnly}}, ": answer it in main:2.0."},
		"a page that sends":      {screen.Prompt{Ways: screen.Ways{Send: []string{"Enter"}}}, ": reply with send."},
		"no key that is proven":  {screen.Prompt{Content: screen.Content{Options: options}, Ways: screen.Ways{AtTerminal: true}}, ": answer it in main:2.0."},
		"nothing that was read":  {screen.Prompt{}, ": answer it in main:2.0."},
	} {
		n := in(Pending)
		n.About, n.Where = Question{&c.prompt}, "main:2.0"
		for _, a := range []Answer{{Said: Said{Decision: screen.Approve}}, {Said: Said{Decision: screen.Deny}}, {Said: Said{Text: "some words"}}} {
			if v := n.admit(a); v.Kind == Rejected && !strings.HasSuffix(words.Why(v.Detail), c.want) || v.Kind != Rejected && !c.prompt.TextField {
				t.Errorf("%s, %+v: %s %q, want %q", name, a, v.Kind, words.Why(v.Detail), c.want)
			}
		}
	}
}

// TestARefusedOptionOfAQuestionNamesNoYesOrNo: y and n only answer permissions.
func TestARefusedOptionOfAQuestionNamesNoYesOrNo(t *testing.T) {
	options := []screen.Option{{Label: "Red"}, {Label: "Something else", Scope: screen.Text}}
	for _, c := range []struct {
		prompt screen.Prompt
		want   string
	}{
		{screen.Prompt{Field: screen.Field{TextField: true}}, "That answer takes words of your own: reply with them."},
		{screen.Prompt{}, "“Something else” can only be chosen in main:2.0."},
		{screen.Prompt{Ways: screen.Ways{AtTerminal: true}}, "“Something else” can only be chosen in main:2.0."},
	} {
		n := in(Pending)
		c.prompt.Options = options
		n.About, n.Where = Question{&c.prompt}, "main:2.0"
		if v := decide(n, line(n, ByInbox, "2")); v.Kind != Rejected || words.Why(v.Detail) != c.want {
			t.Errorf("%s %q, want %q", v.Kind, words.Why(v.Detail), c.want)
		}
	}
}

// TestReplyToWhatIsOver: any reply is told that the nudge is over.
func TestReplyToWhatIsOver(t *testing.T) {
	for _, state := range states[3:] {
		for _, text := range []string{"y", "commit", ""} {
			n := noPromptIn(Pending, noPrompt(screen.Idle, thisTurn, true, ""))
			n.State = state
			n.Claim = &Claim{Said: Said{Text: "run the tests"}, By: Person{Name: "Ann"}, At: noon}
			a := Answer{Way: ByReply, Said: Said{Text: text}}
			a.Decision, _, _ = ParseWord(text, ByReply)
			read, v := n.Read(a)
			if v.Kind == "" {
				v, _ = n.Decide(read, noon)
			}
			if v.Kind != Rejected || v.Reason == deliver.NoKey {
				t.Errorf("%q to one that is %s: %s, %s", text, state, v.Kind, v.Reason)
			}
		}
	}
}

// TestAdoptedCopyCountsByWhatItShows: a message that nod learns of from an answer counts as showing the whole
// subject only if it says so about this subject.
func TestAdoptedCopyCountsByWhatItShows(t *testing.T) {
	n := in(Pending)
	n.Prompt().Subject = "make"
	whole := n.SubjectHash()
	for _, c := range []struct {
		name           string
		shown          []Shown
		adopts, hidden bool
	}{
		{"whole", []Shown{{Nudge: "k3f", Own: true, Subject: whole}}, true, false},
		{"a part", []Shown{{Nudge: "k3f", Own: true}}, true, true},
		{"another subject", []Shown{{Nudge: "k3f", Own: true, Subject: "x" + whole[1:]}}, true, true},
		{"a question about it", []Shown{{Nudge: "k3f", Subject: whole}}, false, true},
		{"another nudge's", []Shown{{Nudge: "e5e", Own: true, Subject: whole}}, false, true},
		{"nothing", nil, false, true},
	} {
		n := in(Pending)
		n.Prompt().Subject = "make"
		for _, a := range []Answer{{Way: ByReply, Ref: Ref{Place: "p", Message: 9}, ReplyTo: 7}, {Way: ByButton, Ref: Ref{Place: "p", Message: 8}}} {
			a.Shown, a.Decision = c.shown, screen.Approve
			if got := n.adopt(a); got != c.adopts || n.hiddenFrom(a) != c.hidden {
				t.Errorf("%s: adopts %t, hidden %t", c.name, got, n.hiddenFrom(a))
			}
			if n.adopt(a) {
				t.Errorf("%s: adopted twice", c.name)
			}
			n.Copies = nil
		}
	}
}
