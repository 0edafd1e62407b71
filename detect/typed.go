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
		d.scopes()
		if !d.clear() {
			f.state = Question
		}
		return d, f
	}
	return nil, nil
}

// typedAnswers reads the answers at the end of a line that ends in a colon, with or without the default.
func typedAnswers(s string) (question string, rows []row) {
	s = strings.TrimRight(s, " ")
	if !strings.HasSuffix(s, ":") {
		return "", nil
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, ":"))
	if at := strings.LastIndex(s, " ["); at >= 0 && strings.HasSuffix(s, "]") {
		if choices := strings.Split(s[at+2:len(s)-1], "/"); len(choices) > 1 {
			return s[:at], lettersOf(choices)
		}
		s = s[:at]
	}
	at := strings.Index(s, "(Y)es/(N)o")
	if at < 0 {
		return "", nil
	}
	for _, choice := range strings.Split(s[at:], "/") {
		label := strings.NewReplacer("(", "", ")", "").Replace(choice)
		rows = append(rows, row{Option: Option{Label: label}})
	}
	return strings.TrimSpace(s[:at]), rows
}

// lettersOf names what the letters of a choice stand for, where that is plain; else the letter stands alone.
func lettersOf(choices []string) []row {
	var rows []row
	for _, c := range choices {
		label := strings.ToLower(c)
		switch label {
		case "y":
			label = "Yes"
		case "n":
			label = "No"
		case "t":
			label = "Trust"
		}
		if len(c) != 1 {
			return nil
		}
		rows = append(rows, row{Option: Option{Label: label}})
	}
	return rows
}
