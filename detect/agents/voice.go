package agents

import "nod/detect/screen"

// LastWords is what an idle agent said last, as far as its screen shows it; empty where that is not known.
func LastWords(name string, s screen.Screen, r screen.Reading) string {
	a := byName(name)
	if !a.known() || r.Composer == nil {
		return ""
	}
	return a.lay(s).LastWords(a.voice, r.Composer.Row)
}
