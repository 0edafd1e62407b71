package bot

// sentence is a message of nod's own words.
func sentence(text string) outgoing {
	var out outgoing
	out.page.text(text)
	return out
}
