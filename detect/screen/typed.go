package screen

import (
	"strings"

	"nod/internal/reason"
)

// Typed reads a question at the end of the screen that is answered by typing a letter into a line: "Run shell command?
// (Y)es/(N)o/(D)on't ask again [Yes]:". nod shows it and types nothing: after the letter, nothing proves where Enter goes.
func (l *Layout) Typed() *Dialog {
	i, line := l.LowestRow()
	if i > 0 && l.Lines[i-1].Kind == Blank && line.Style(line.Col).ground() != "" { // a status bar
		i = l.LineBefore(i, l.words)
		line = &l.Lines[max(i, 0)]
	}
	for j, above := range l.lowest(2) {
		if strings.Trim(line.Text, ">❯! ") == "" {
			i, line = j, above // the answer goes into the row below
		}
	}
	first, said := i, line.Text
	if j := l.LineBefore(i, l.words); j >= i-2 && j >= 0 && asksAtEnd(l.Lines[j].Text) && choiceAlone(said) {
		first, said = j, l.Lines[j].Text+" "+said
	}
	question, entries := typedOptions(said)
	switch {
	case len(entries) > 0, i < 0:
	case line.moves():
		question, entries = typedOptions(stilled(line.Text))
	}
	if len(entries) < 2 {
		return nil
	}
	for k := range entries {
		entries[k].First, entries[k].Last = first, i
	}
	m := Menu{Entries: entries, First: first, Last: i, Marked: -1, Across: true, Typed: true, knownBy: "the letters that it asks for"}
	d := l.dialogOf(m, Beneath{End: i})
	d.AskAs(question)
	d.Shape = Shape{Name: "typed", State: Permission, Why: reason.TypedAnswer}
	d.boundByGaps()
	if asks := strings.HasSuffix(question, "?") && d.HasWords(0, first-1); !asks && !d.HasWords(d.Top, first-1) && !line.moves() && !Starts(line.Text, "? ") {
		return nil // a sentence that ends in "[y/N]" may be about a question
	}
	d.readScopes()
	if !d.Clear() {
		d.State = Question
	}
	return d
}

// typedOptions reads the options at the end of a line that waits for one of them: "[y/N]", "(yes/no/always):" or "(yanH)", with
// or without a default behind them (rich 14: "[y/n] (y):"), "? y/n", or "‣ No / Yes" (enquirer 2.4.1).
func typedOptions(s string) (question string, entries []Entry) {
	s = strings.TrimRight(s, " █▌") // the cursor that a program draws itself
	s, colon := strings.CutSuffix(s, ":")
	s = strings.TrimSpace(strings.TrimRight(s, "?> "))
	if at := strings.LastIndexAny(s, "‣›·"); at > 0 {
		if _, behind, _ := strings.Cut(s[at:], " "); strings.Contains(behind, " / ") {
			return strings.TrimSpace(s[:at]), lettersOf(strings.Split(behind, "/"))
		} else if !strings.ContainsAny(behind, " ()[]") {
			s = strings.TrimSpace(s[:at]) // behind it is the default
		}
	}
	for range 2 {
		at := strings.LastIndexAny(s, "[(")
		if at <= 0 || !strings.ContainsAny(s[len(s)-1:], "])") {
			break
		}
		if choices := choicesIn(s[at+1 : len(s)-1]); len(choices) > 1 {
			return strings.TrimSpace(s[:at]), lettersOf(choices)
		}
		s = strings.TrimSpace(s[:at]) // a default
	}
	if asked, bare, ok := strings.Cut(s, "? "); ok && letterKeys(bare) {
		return asked + "?", lettersOf(strings.Split(bare, "/"))
	}
	at := strings.Index(s, "(Y)es/(N)o")
	if at < 0 || !colon {
		return "", nil
	}
	for _, choice := range strings.Split(s[at:], "/") {
		label := strings.NewReplacer("(", "", ")", "").Replace(choice)
		entries = append(entries, Entry{Option: Option{Label: strings.TrimSpace(label)}})
	}
	return strings.TrimSpace(s[:at]), entries
}

// choiceAlone reports whether a row is a choice and nothing else: "Y/n" (@inkjs/ui 2.0), "[y/N]", "(yes/no):".
func choiceAlone(s string) bool {
	return len(lettersOf(choicesIn(strings.Trim(strings.TrimRight(s, ":> █▌"), "[]()")))) > 0
}

// choicesIn are the answers in brackets: "y/N", "Y|n", or letters with the default as the one capital, "yanH"
// (@inquirer/prompts 8.7). If the first letter is the capital, it is a word.
func choicesIn(s string) []string {
	if strings.ContainsAny(s, "/|,") {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '|' || r == ',' })
	}
	if len(s) <= mostLetters && onlyOne(len(s), func(i int) bool { return s[i] >= 'A' && s[i] <= 'Z' }) > 0 {
		return strings.Split(s, "")
	}
	return nil
}

// mostLetters is the greatest number of answers with nothing between them: more letters are a word.
const mostLetters = 6

// typedWords are the words that may be in a choice, and the labels that they and plain letters mean.
var typedWords = map[string]string{
	"y": "Yes", "yes": "Yes", "n": "No", "no": "No", "t": "Trust", "a": "a", "always": "Always", "all": "All", "never": "Never", "q": "q", "quit": "Quit",
}

// lettersOf are the options of a choice; none if it lacks a yes or a no.
func lettersOf(choices []string) []Entry {
	var entries []Entry
	yes, no := false, false
	for _, c := range choices {
		c = strings.ToLower(strings.TrimSpace(c))
		label, known := typedWords[c]
		if !known && len(c) != 1 {
			return nil
		}
		if !known {
			label = c
		}
		yes, no = yes || label == "Yes", no || label == "No"
		entries = append(entries, Entry{Option: Option{Label: label}})
	}
	if !yes || !no {
		return nil
	}
	return entries
}
