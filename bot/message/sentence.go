package message

// Sentence returns a message of nod's own words.
func Sentence(text string) Outgoing {
	var out Outgoing
	out.Page.Text(text)
	return out
}
