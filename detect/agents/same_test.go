package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

var (
	readingsTo = flag.String("readings", "", "write a digest of every reading to this file")
	sameAs     = flag.String("same", "", "compare every reading with the digests in this file")
	only       = flag.String("only", "", "print the readings of the screens whose name begins so")
	rounds     = flag.Int("rounds", 3, "how often each recorded screen is changed at random for -readings and -same")
)

// TestSameReadings compares all that is read of every recorded screen, plain and with colours, as its own agent's, as nobody's and as
// that of an agent which nobody has catalogued, and of changed and attacked ones, with what an older build read of them: write their
// digests with -readings there, and compare here with -same. What differs is printed with -only in both.
func TestSameReadings(t *testing.T) {
	if *readingsTo == "" && *sameAs == "" && *only == "" {
		t.Skip("neither -readings nor -same")
	}
	var out strings.Builder
	old := map[string]string{}
	if b, err := os.ReadFile(*sameAs); err == nil {
		for line := range strings.Lines(string(b)) {
			name, digest, _ := strings.Cut(strings.TrimSpace(line), "\t")
			old[name] = digest
		}
	}
	screens, differ, of := 0, 0, map[string]int{}
	everyScreen(t, func(name, agent, text string) {
		screens++
		if *only != "" {
			if strings.HasPrefix(name, *only) {
				fmt.Printf("=== %s as %q\n%s\n%s\n", name, agent, strings.Join(screen.Parse(text).Tail(60), "\n"), wholeReading(agent, text))
			}
			return
		}
		sum := sha256.Sum256([]byte(wholeReading(agent, text)))
		digest := hex.EncodeToString(sum[:8])
		fmt.Fprintf(&out, "%s\t%s\n", name, digest)
		if *sameAs != "" && old[name] != digest {
			if differ++; differ <= 200 {
				t.Errorf("%s as %q is read otherwise", name, agent)
			}
			kind, _, _ := strings.Cut(name, " ")
			of[kind]++
		}
	})
	t.Logf("%d screens, %d read otherwise: %v", screens, differ, of)
	if *readingsTo != "" {
		if err := os.WriteFile(*readingsTo, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// wholeReading is all that is read of a screen, with what no one exports.
func wholeReading(agent, text string) string {
	r := Read(agent, screen.Parse(text))
	p := r.Prompt
	s := fmt.Sprintf("%q %q %q\n%q\n%q\n", r.Agent, r.State, r.Text, r.Why, fmt.Sprint(r.Rows))
	if r.Composer != nil {
		s += fmt.Sprintf("%+q\n", fmt.Sprint(*r.Composer))
	}
	if p != nil {
		s += strings.ReplaceAll(fmt.Sprintf("%#v\n", *p), ", ", ",\n")
	}
	return s
}

// everyScreen gives every recorded screen, each changed and attacked some times, always in the same way.
func everyScreen(t *testing.T, give func(name, agent, text string)) {
	all := labels(t)
	rng := rand.New(rand.NewPCG(11, 12))
	for _, l := range all {
		for _, file := range []string{l.File, l.coloured()} {
			text := capture(t, file)
			give("as-it-is "+file, l.Agent, text)
			give("nameless "+file, "", text)
			give("unknown "+file, "nobody", text)
			for n := range *rounds {
				changed := mutate(rng, text)
				give(fmt.Sprintf("changed %s#%d", file, n), l.Agent, changed)
				if n%3 == 0 {
					give(fmt.Sprintf("changed-unknown %s#%d", file, n), "nobody", changed)
				}
			}
		}
	}
	for _, u := range everyUnseen() {
		give("unseen "+u.name, u.agent, strings.TrimPrefix(u.shown, "\n"))
	}
	for i := range 400 * *rounds {
		give(fmt.Sprintf("random %d", i), "nobody", inventDialog(rng).String())
	}
	for i := range 30 * *rounds {
		for _, agent := range slices.Sorted(slices.Values([]string{"kimi", "copilot", "gemini"})) {
			give(fmt.Sprintf("list %s %d", agent, i), agent, inventList(rng, agent).String())
		}
	}
	kits := rand.New(rand.NewPCG(15, 16))
	for i := range 400 * *rounds {
		give(fmt.Sprintf("kit %d", i), "nobody", inventKit(kits).String())
	}
	for _, l := range []bool{true, false} {
		kind := map[bool]string{true: "attack", false: "attack-unknown"}[l]
		seed := recordedTargets(t, all)
		a := attacker{rand.New(rand.NewPCG(13, 14)), seed}
		for i, tg := range seed {
			for n := range *rounds {
				changed, _, _ := a.attack(tg)
				agent := tg.agent
				if !l {
					agent = "nobody"
				}
				give(fmt.Sprintf("%s %d %s#%d", kind, i, tg.file, n), agent, changed.String())
			}
		}
	}
}

// recordedTargets are the recorded permissions, bounded by what their labels say, so that two builds attack the same rows.
func recordedTargets(t *testing.T, all []label) (found []target) {
	for _, l := range all {
		if l.State != screen.Permission || len(l.Options) == 0 {
			continue
		}
		for _, file := range []string{l.File, l.coloured()} {
			c := canvasOf(capture(t, file))
			tg := target{agent: l.Agent, file: file, drawn: c, prompt: &screen.Prompt{OnScreen: screen.OnScreen{Last: len(c) - 1}}, first: len(c) - 1}
			for i := len(c) - 1; i > 0; i-- {
				if strings.Contains(rowText(c[i]), strings.TrimSpace(l.Options[0].Starts)) {
					tg.first = i
					break
				}
			}
			tg.top = max(tg.first-12, 0)
			if tg.first <= tg.top {
				continue
			}
			for _, row := range c {
				tg.width = max(tg.width, len(rowText(row)))
			}
			found = append(found, tg)
		}
	}
	return found
}
