package detect

import "strings"

// typedDialog recognises a question that is answered by typing a letter into a line, as the last thing on the
// screen: "Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]:". nod shows it and types nothing: a letter
// and Enter are two keys, of which the first proves nothing about where the second goes.
func typedDialog(v *view) (*dialog, *found) {
	for i, l := range v.lowest(1) {
		question, rows := typedAnswers(l.text)
		if len(rows) < 2 {
			return nil, nil
		}
		for k := range rows {
			rows[k].first, rows[k].last = i, i
		}
		d := &dialog{view: v, block: block{rows: rows, first: i, last: i, marked: -1, across: true}, end: i, question: question, asked: i, askedEnd: i - 1}
		d.cutTop = true
		d.near()
		f := &found{
			shape: "typed", state: Permission, question: question, subject: d.body(d.top, i-1, 0), top: d.top, partial: true,
			narrow: (*row).keep, why: "This question is answered by typing into a line, which nod does not do: answer it at the terminal.",
		}
		if len(f.subject) == 0 && !holds(l.text, "(Y)es/") && !starts(l.text, "? ") {
			return nil, nil // a sentence that ends in "[y/N]" may speak of a question
		}
		d.scopes()
		if !d.clear() {
			f.state = Question
		}
		return d, f
	}
	return nil, nil
}

// typedAnswers reads the answers at the end of a line that waits for one of them, "[y/N]", "(yes/no/always):",
// with or without the default behind them.
func typedAnswers(s string) (question string, rows []row) {
	s = strings.TrimRight(s, " ")
	s, colon := strings.CutSuffix(s, ":")
	s = strings.TrimSpace(strings.TrimRight(s, "?> "))
	if at := strings.LastIndexAny(s, "[("); at > 0 && strings.HasSuffix(s, closing(s[at])) {
		if choices := strings.Split(s[at+1:len(s)-1], "/"); len(choices) > 1 {
			return strings.TrimSpace(s[:at]), lettersOf(choices)
		}
		s = s[:at]
	}
	at := strings.Index(s, "(Y)es/(N)o")
	if at < 0 || !colon {
		return "", nil
	}
	for _, choice := range strings.Split(s[at:], "/") {
		label := strings.NewReplacer("(", "", ")", "").Replace(choice)
		rows = append(rows, row{Option: Option{Label: strings.TrimSpace(label)}})
	}
	return strings.TrimSpace(s[:at]), rows
}

func closing(open byte) string {
	if open == '[' {
		return "]"
	}
	return ")"
}

// typedWords are what the letters of a choice stand for, where that is plain, and the words that may stand there.
var typedWords = map[string]string{
	"y": "Yes", "yes": "Yes", "n": "No", "no": "No", "t": "Trust", "a": "a", "always": "Always", "all": "All", "never": "Never", "q": "q", "quit": "Quit",
}

// lettersOf names the answers of a choice; none where one of them says yes and one says no is not among them.
func lettersOf(choices []string) []row {
	var rows []row
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
		rows = append(rows, row{Option: Option{Label: label}})
	}
	if !yes || !no {
		return nil
	}
	return rows
}
