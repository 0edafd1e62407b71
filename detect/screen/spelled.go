package screen

import (
	"cmp"
	"slices"
	"strings"

	"nod/internal/reason"
)

// Spelled recognises answers that only their place proves to be live: they are the last words on the screen, in a frame each, side by side or
// a key and its answer a row. One agrees, and one says no and does not only leave: "y - yes, n - no", "Press Enter to approve, Esc to
// reject", "✅ Approve   ❌ Reject". The person sees them, and nod presses none.
func (l *Layout) Spelled() *Dialog {
	if d := l.drawnAnswers(l.framedAnswers()); d != nil {
		return d
	}
	for i := range l.lowest(acrossRows) {
		said, first := l.wrappedAnswers(i)
		m := Menu{Entries: said.entries, First: first, Last: i, Marked: -1, asks: said.question, knownBy: "the answers that it spells"}
		for m.Across = len(m.Entries) != 1; !m.Across && m.First > 0; m.First-- {
			above := l.spelledIn(m.First - 1)
			if len(above.entries) != 1 || above.question != "" {
				break
			}
			m.Entries, said.keys = append(above.entries, m.Entries...), append(above.keys, said.keys...)
		}
		m.readScopes()
		yes, no := m.agreeing(), m.only(No)
		if yes < 0 || no < 0 || leaves(wordsOf(m.Entries[no].Label)) && said.keys[yes]+said.keys[no] != "yn" {
			continue // "esc cancel" may leave a field; "y run, n skip" is an answer
		}
		answer := l.answerLine(i)
		below := l.beneath(i, func(s string) bool { return s == answer })
		if below.Over || below.Unsure || l.inputBelow(i) {
			return nil
		}
		d := l.dialogOver(m, below)
		if d.begin(); d.Question == "" && !d.TakeHeading() {
			d.AskAs(l.Paragraph(m.First, i))
		}
		return d.notice()
	}
	return nil
}

// walled recognises such answers at the end of a box of which two bars alone are drawn, one at each side of its rows, in the conversation above
// an input box (arctic 0.0.0, opencode/1.0.152-parallel-100x40). The agent's next message is not below it. Its first row is empty, if that is seen.
func (l *Layout) walled() *Dialog {
	for _, b := range slices.Backward(l.bars) {
		bar, cells := l.barOf(&b), l.Lines[b.Top].row.cells
		for b.Right = len(cells) - 1; cells[b.Right] != bar; b.Right-- {
		}
		gap := func(i int) bool { return l.Lines[i].row.at(b.Right) != bar }
		if b.Right == b.Left || b.Bottom-b.Top+1 < barRows || l.LineFrom(b.Top, b.Bottom+1, gap) >= 0 {
			continue
		}
		below := l.NextWords(b.Bottom+1, len(l.Lines))
		if below < len(l.Lines) && beginsTranscript(l.Lines[below].First()) && !l.Lines[below].Begins(composerGlyphs) {
			return nil
		}
		box := b
		bare := l.Above(b.Bottom + 1).Without(func(i int, line *Line) (from, to int) { return b.Right, len(line.cells) })
		if box.Open = strings.Trim(bare.Lines[b.Top].Text, bars) != ""; box.Open {
			box.Top--
		}
		bare.frames = append(slices.Clone(l.frames), box)
		return bare.Without(func(i int, line *Line) (from, to int) {
			if i >= b.Top && i <= b.Bottom {
				line.frame = len(bare.frames)
			}
			return b.Left, b.Left + 1
		}).Spelled()
	}
	return nil
}

// spelled are the answers that one row spells, the key of each, if it has one, and the question before them, if one is.
type spelled struct {
	question string
	entries  []Entry
	keys     []string
}

// wrappedRows is the greatest number of rows over which a narrow box wraps answers side by side.
const wrappedRows = 4

// wrappedAnswers are the answers of line i, or of the rows down to it, of which the first holds several, each before its key:
// "Allow (a)   Allow", "for session (s)", "Deny (d)" (opencode-ai/opencode 0.0.55).
func (l *Layout) wrappedAnswers(i int) (s spelled, first int) {
	text := l.Lines[i].Text
	for first = i - 1; first > i-wrappedRows && first >= 0 && l.words(first) && strings.HasSuffix(text, ")"); first-- {
		text = l.Lines[first].Text + " " + text
		m := Menu{}
		for _, part := range strings.SplitAfter(strings.TrimSuffix(text, ")"), ")") {
			label, keys := splitHints(strings.TrimSuffix(part, ")") + ")")
			e := Entry{Option: Option{Label: strings.TrimSpace(label)}, First: first, Last: i, Col: l.Lines[first].Col}
			m.Entries, s.keys = append(m.Entries, e), append(s.keys, keys...)
		}
		m.readScopes()
		if len(s.keys) == len(m.Entries) && m.Clear() && strings.Contains(l.Lines[first].Text, "  ") {
			s.entries = m.Entries
			return s, first
		}
		s.keys = nil
	}
	return l.spelledIn(i), i
}

// spelledIn are the answers of line i: each behind or before its key, or with gaps or strokes between them. Alone in its row one has a
// key. None: it holds other words.
func (l *Layout) spelledIn(i int) (s spelled) {
	if !l.words(i) || l.Lines[i].Bar || in(bars, l.Lines[i].First()) { // behind a bar, it may be pasted
		return spelled{}
	}
	text := l.Lines[i].Text
	if l.Lines[i].frame > 0 && strings.Contains(text, "│") {
		return spelled{} // a row of a table
	}
	if at := strings.LastIndex(text, "? "); at > 0 {
		s.question, text = text[:at+1], text[at+1:]
	}
	if at := strings.LastIndexByte(text, '('); at > 0 && saysSomething(text[:at]) && strings.HasSuffix(text, ")") && strings.Contains(text[at:], " ") && IsFooter(text[at+1:len(text)-1]) {
		text = text[:at] // "(use ←/→ and Enter)"
	}
	keyed, parts := 0, spelledParts(text)
	if len(parts) == 2 { // the key is in a column of its own
		if first, second := bare(parts[0]), bare(parts[1]); len(first) == 1 && namesKey(first) && len(second) > 1 {
			parts = []string{parts[0] + " " + parts[1]}
		} else if len(first) > 1 && namesKey(second) {
			parts = []string{parts[1] + " " + parts[0]}
		}
	}
	for _, part := range parts {
		key, label := spelledKey(part)
		if inWord, _ := keyInWord(part); len(wordsOf(label)) == 0 || inWord != "" && s.question == "" { // a row of such keys is a menu
			return spelled{}
		}
		if key != "" {
			keyed++
			label = infinitive(label)
		}
		s.entries = append(s.entries, Entry{Option: Option{Label: label}, First: i, Last: i, Col: l.Lines[i].Col})
		s.keys = append(s.keys, key)
	}
	if keyed == 1 && len(parts) > 1 && s.keys[0] != "" && !strings.Contains(strings.TrimSpace(text), "  ") { // "2 Yes, and don't ask again"
		key, label := spelledKey(text)
		s.keys, s.entries = []string{key}, []Entry{{Option: Option{Label: label}, First: i, Last: i, Col: l.Lines[i].Col}}
	}
	if keyed != len(s.entries) && (keyed > 0 || len(s.entries) < 2 || s.entries[0].labelScope() == Other) {
		return spelled{}
	}
	return s
}

// spelledParts are the parts of a row that gaps, strokes, commas, an "or" or keys in brackets part: "[y]es [n]o". Brackets may be around
// them all.
func spelledParts(s string) []string {
	if s = strings.TrimSpace(s); len(s) > 2 && strings.IndexAny(s, "])") == len(s)-1 && strings.ContainsAny(s[:1], "[(") {
		s = s[1 : len(s)-1]
	}
	for _, between := range []string{" / ", " • ", "·", "|", "│", "] ["} {
		s = strings.ReplaceAll(s, between, "  ")
	}
	if !strings.Contains(s, "  ") {
		s = strings.NewReplacer(" or ", "  ", ", ", "  ", "; ", "  ").Replace(s)
	}
	for i := len(s) - 4; i > 0; i-- {
		if key, _ := keyInWord(s[i+1:]); key != "" && s[i] == ' ' {
			s = s[:i] + " " + s[i:]
		}
	}
	return slices.DeleteFunc(strings.Split(s, "  "), func(part string) bool { return !saysSomething(part) && !keyWord(strings.TrimSpace(part)) })
}

// keyInWord is the key in the brackets that begin a word, and the word: "[y]es".
func keyInWord(s string) (key, word string) {
	if len(s) < 4 || !strings.ContainsAny(s[:1], "[(<") || !strings.ContainsAny(s[2:3], "])>") || tmuxKey(s[1:2]) == "" || s[3] == ' ' {
		return "", s
	}
	return s[1:2], s[1:2] + s[3:]
}

// namesKey reports whether a word of such a row names a key.
func namesKey(word string) bool {
	return tmuxKey(word) != "" || word == "?" || word == "!" || keyWord(strings.ToLower(word))
}

// bare is a word of such a row without what is around a key.
func bare(word string) string { return strings.Trim(word, " []()<>:=-–—→'\"`") }

// spelledKey splits a part of a row into its key, which has one character or a name, and its label; an empty key: it has none.
func spelledKey(part string) (key, label string) {
	if key, label = keyInWord(strings.TrimSpace(part)); key != "" {
		return key, label
	}
	words := strings.Fields(part)
	if at := strings.IndexAny(words[0], ":="); at > 0 && at+1 < len(words[0]) && namesKey(bare(words[0][:at])) {
		words = append([]string{words[0][:at], words[0][at+1:]}, words[1:]...) // "y:approve", "n=reject"
	}
	if last := words[len(words)-1]; (last[0] == '[' || last[0] == '(' && !namesKey(bare(words[0]))) && namesKey(bare(last)) {
		return bare(last), strings.Join(words[:len(words)-1], " ")
	}
	if label, behind, ok := strings.Cut(strings.NewReplacer(" = ", ": ", "=", ": ", " → ", ": ").Replace(part), ": "); ok && namesKey(bare(behind)) && !namesKey(bare(label)) {
		return bare(behind), strings.Trim(label, " []<>") // "approve: enter"
	}
	if len(words) > 2 && namesKey(bare(words[1])) && len(bare(words[0])) > 1 {
		words = words[1:] // "Press y to approve"
	}
	if len(words) < 2 || !namesKey(bare(words[0])) {
		return "", strings.Trim(part, " ‹›«»<>[]")
	}
	key, words = bare(words[0]), words[1:]
	if len(words) > 1 && (bare(words[0]) == "" || words[0] == "to") {
		words = words[1:]
	}
	return key, strings.Join(words, " ")
}

// infinitive is a label that says yes or no once its verb lacks its ending: "approves", "runs it", "denies".
func infinitive(label string) string {
	verb, object, _ := strings.Cut(label, " ")
	for ending, stem := range map[string]string{"ies": "y", "s": ""} {
		bare, ends := strings.CutSuffix(verb, ending)
		plain := strings.TrimSpace(bare + stem + " " + object)
		if s := scopeOf(plain, "", false); ends && (s == Once || s == No) {
			return plain
		}
	}
	return label
}

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
	below := Beneath{End: i}
	if j, b := l.typedAbove(); j >= 0 {
		i, line, below = j, &l.Lines[j], b
	}
	first := i
	question, entries := typedOptions(line.Text)
	above := l.LineBefore(i, l.words)
	if above == i-1 && above >= 0 && len(entries) == 0 && l.Lines[above].End() >= l.width { // the terminal broke the row, "(Y/n" and ")"
		if question, entries = typedOptions(l.Lines[above].Text + line.Text); len(entries) > 0 {
			first = above
		}
	}
	switch {
	case len(entries) > 0:
	case line.moves():
		question, entries = typedOptions(stilled(line.Text))
	case above >= max(i-2, 0) && asksAtEnd(l.Lines[above].Text): // "Y/n" in a row of its own (@inkjs/ui 2.0)
		first = above
		question, entries = typedOptions(l.Lines[above].Text + " " + line.Text)
	case i >= 0:
		for l.wrapped(first) {
			first--
		}
		question, entries = quotedOptions(l.Paragraph(first, i))
	}
	if len(entries) == 0 {
		return nil
	}
	for k := range entries {
		entries[k].First, entries[k].Last = first, i
	}
	m := Menu{Entries: entries, First: first, Last: i, Marked: -1, Across: true, Typed: true, knownBy: "the letters that it asks for"}
	d := l.dialogOf(m, below)
	d.AskAs(question)
	d.Shape = Shape{Name: "typed", State: Permission, Why: reason.TypedAnswer}
	d.boundByGaps()
	if asks := strings.Contains(question, "?") && d.HasWords(0, first-1); !asks && !d.HasWords(d.Top, first-1) && !line.moves() && !Starts(line.Text, "? ") {
		return nil // a sentence that ends in "[y/N]" may be about a question
	}
	d.readScopes()
	if !d.Clear() {
		d.State = Question
	}
	return d
}

// typedAbove is the line of such a question above rows of status and keys, and these; -1: there is none, or a list below it has its answers.
func (l *Layout) typedAbove() (int, Beneath) {
	for i, line := range l.lowest(acrossRows) {
		question, entries := typedOptions(line.Text)
		if len(entries) == 0 || !asksAtEnd(question) {
			continue
		}
		b := l.beneath(i, nil)
		if m, listed := l.anyMenu(nil); listed && m.First > i || b == (Beneath{End: i}) || b.Over || b.Unsure || l.inputBelow(i) {
			break
		}
		return i, b
	}
	return -1, Beneath{}
}

// quotedOptions reads the options that a paragraph quotes which waits for one of them: 'Type "yes" to run it, "no" to skip it:'. It may quote
// the yes alone: "Type 'yes' to continue, anything else cancels:".
func quotedOptions(s string) (question string, entries []Entry) {
	var quoted []string
	for n, part := range strings.FieldsFunc(quotes.Replace(straight.Replace(s))+" ", func(r rune) bool { return strings.ContainsRune("\"“”`", r) }) {
		if n%2 == 1 && (len(part) == 1 || typedWords[strings.ToLower(part)] != "") {
			quoted = append(quoted, part)
		}
	}
	if !strings.ContainsAny(s[max(len(s)-1, 0):], ":>?") {
		return "", nil
	}
	if verb, _, _ := strings.Cut(strings.ToLower(s), " "); len(quoted) == 1 && (verb == "type" || verb == "enter") && typedWords[strings.ToLower(quoted[0])] == "Yes" {
		return s, []Entry{{Option: Option{Label: "Yes"}}}
	}
	return s, lettersOf(quoted)
}

// quotes makes the single quotes around words double ones.
var quotes = strings.NewReplacer(" '", ` "`, "' ", `" `, "',", `",`, "':", `":`)

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
		if outer := strings.LastIndexByte(s[:at], '('); s[at-1] == '/' && outer > 0 { // "(yes/no/[fingerprint])" (OpenSSH 9.6)
			at = outer
		}
		choice := s[at+1 : len(s)-1]
		if choices := choicesIn(choice); len(choices) > 1 {
			return strings.TrimSpace(s[:at]), lettersOf(choices)
		}
		s = strings.TrimSpace(s[:at]) // a default
		if label := typedWords[strings.ToLower(choice)]; asksAtEnd(s) && (label == "Yes" || label == "No") {
			return s, []Entry{{Option: Option{Label: label}}} // "Ok to proceed? (y)" (npm 10)
		}
	}
	if at := strings.LastIndexByte(s, ' '); at > 0 && strings.Contains(s[:at+1], "? ") && letterKeys(s[at+1:]) && !in(composerGlyphs, lastRune(s[:at])) {
		return strings.TrimSpace(s[:at]), lettersOf(strings.Split(s[at+1:], "/"))
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

// choicesIn are the answers in brackets: "y/N", "Y|n", or letters with the default as the one capital, "yanH"
// (@inquirer/prompts 8.7). If the first letter is the capital, it is a word.
func choicesIn(s string) []string {
	if strings.ContainsAny(s, "/|,") {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/|,[]", r) })
	}
	if len(s) <= mostLetters && onlyOne(len(s), func(i int) bool { return s[i] >= 'A' && s[i] <= 'Z' }) > 0 {
		return strings.Split(s, "")
	}
	return nil
}

// mostLetters is the greatest number of answers with nothing between them: more letters are a word.
const mostLetters = 6

// lettersOf are the options of a choice; none if it lacks a yes or a no.
func lettersOf(choices []string) (entries []Entry) {
	said := map[string]bool{}
	for _, c := range choices {
		c = strings.ToLower(strings.TrimSpace(c))
		label := cmp.Or(typedWords[c], c)
		if label == c && len(c) != 1 && !(said["yes"] && said["no"]) {
			return nil
		}
		said[c] = true
		said[label] = true
		entries = append(entries, Entry{Option: Option{Label: label}})
	}
	if !said["Yes"] || !said["No"] {
		return nil
	}
	return entries
}

// typedWords are the words that may be in a choice, and the labels that they and plain letters mean.
var typedWords = map[string]string{
	"y": "Yes", "yes": "Yes", "n": "No", "no": "No", "t": "Trust", "always": "Always", "all": "All", "never": "Never", "quit": "Quit",
}
