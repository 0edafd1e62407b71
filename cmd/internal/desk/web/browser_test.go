//go:build browser

package web

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/desk"
	"nod/detect/screen"
	"nod/internal/rpc"
)

// The page in a real browser. `make proofs` and CI run these tests.

var pictures = flag.String("pictures", "", "a folder for pictures of the page")

var started = time.Now().Add(-12 * time.Minute)

// sample has a card of each kind that the page draws differently.
func sample() []desk.Card {
	yes, no := true, false
	answers := []desk.Action{{Do: desk.Yes}, {Do: desk.No}, {Do: desk.DenyWords}, {Do: desk.Skip}, {Do: desk.Snooze}}
	card := func(id string, section desk.Section, rank int, title, state string, asks *desk.Asks, actions ...desk.Action) desk.Card {
		agent, project, _ := strings.Cut(title, " in ")
		return desk.Card{ID: id, Section: section, Rank: rank, Agent: desk.Agent{Title: title, Agent: agent, Project: project, Where: "work:" + fmt.Sprint(rank) + ".0", Pane: "%" + id, Life: agent + " " + id + " 1"},
			Asks: asks, State: state, Since: started.Add(time.Duration(rank) * 3 * time.Minute), Actions: actions}
	}
	text := func(of string) []desk.Span { return []desk.Span{{Text: of}} }
	bash := card("1", desk.Needs, 0, "claude in api", "waits for you", &desk.Asks{Nudge: "k3f", Fingerprint: "f1", Kind: "permission", Verb: "Bash command", Question: "Do you want to proceed?",
		Subject: "cd services/api && make clean && go test -race -count=1 ./internal/... -run 'TestOrders|TestPayments|TestRefunds' -coverprofile=/tmp/cover.out && rm -rf build/cache\nCleans, runs the tests of orders and payments, and empties the cache", Lead: 1,
		Says: "The flaky test may come from a stale build. I will clean and run the three suites again.", Minds: []string{"It deletes files: rm -rf build/cache."},
		Options:  []desk.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "Yes, and don't ask again for make clean", Lasts: "for this project, from now on"}, {Number: 3, Label: "No, and tell Claude what to do differently"}},
		Reminder: 2, Stuck: true}, answers...)
	bash.Screen = []screen.Drawn{{Role: screen.Border, Text: "╭──────────────────────────────────────────────────────────╮"}, {Role: screen.Title, Text: "│ Bash command                                             │"},
		{Role: screen.Subject, Text: "│   cd services/api && make clean && go test -race …       │"}, {Role: screen.Asked, Text: "│ Do you want to proceed?                                  │"},
		{Role: screen.Choice, Text: "│ ❯ 1. Yes                                                 │"}, {Role: screen.Choice, Text: "│   3. No                                                  │"}, {Role: screen.Border, Text: "╰──────────────────────────────────────────────────────────╯"}}
	edit := card("2", desk.Needs, 1, "codex in shop", "waits for you", &desk.Asks{Nudge: "p7q", Fingerprint: "f2", Kind: "permission", Verb: "Edit file", Question: "Make this edit?", Subject: "internal/cart/total.go", Lead: 1,
		Diff: []desk.File{{Parts: []desk.Part{{Head: "@@ -14,7 +14,9 @@"}, {Same: []string{"func Total(items []Item) Money {", "    var sum Money"}},
			{Old: []string{"    for _, i := range items {", "        sum += i.Price"}, New: []string{"    for _, item := range items {", "        sum += item.Price.Times(item.Count)"}},
			{Same: []string{"    }"}}, {New: []string{"    sum += shipping(items)"}}, {Same: []string{"    return sum", "}"}}}}}}, answers...)
	plan := card("3", desk.Needs, 2, "claude in docs", "waits for you", &desk.Asks{Nudge: "m2x", Fingerprint: "f3", Kind: "permission", Verb: "Plan", Question: "Would you like to proceed?", Subject: "Split the guide in three", Lead: 1,
		Plan: []desk.Block{{Is: "h1", Spans: text("Split the guide")}, {Is: "p", Spans: []desk.Span{{Text: "The page is "}, {Is: "b", Text: "too long"}, {Text: " for one topic. I will:"}}},
			{Is: "li", Mark: "1.", Spans: []desk.Span{{Text: "Move "}, {Is: "i", Text: "install"}, {Text: " to "}, {Is: "code", Text: "docs/install.md"}}}, {Is: "li", Mark: "2.", Spans: text("Keep the first answer on the front page")},
			{Is: "li", Mark: "-", Depth: 1, Spans: text("with its picture")}, {Is: "li", Mark: "-", Depth: 1, Spans: text("and the link to the demo")}, {Is: "li", Mark: "3.", Spans: text("Check every link")},
			{Is: "pre", Mark: "sh", Spans: text("make docs && make links\n")}, {Is: "h2", Spans: text("What stays")}, {Is: "p", Spans: text("The reference, as it is generated.")}}}, answers...)
	list := card("4", desk.Needs, 3, "gemini in web", "waits for you", &desk.Asks{Nudge: "t9c", Fingerprint: "f4", Kind: "question", Question: "Which checks should run before each commit?", Subject: "",
		Options: []desk.Option{{Number: 1, Label: "gofmt", Ticked: &yes}, {Number: 2, Label: "go vet", Note: "finds what compiles and is wrong", Ticked: &no}, {Number: 3, Label: "the whole test suite", Ticked: &no}}},
		desk.Action{Do: desk.Tick}, desk.Action{Do: desk.Send}, desk.Action{Do: desk.Leave}, desk.Action{Do: desk.Skip})
	denied := card("5", desk.Denied, 0, "qwen in infra", "its guard blocked a call", &desk.Asks{Nudge: "d1d", Call: 1, Fingerprint: "f5", Kind: "denied", Verb: "run_shell_command", Subject: "terraform apply -auto-approve", Lead: 1, Minds: []string{"It changes what runs elsewhere."}},
		desk.Action{Do: desk.Allow}, desk.Action{Do: desk.LeaveIt})
	idle := card("6", desk.Idle, 0, "opencode in blog", "idle", nil, desk.Action{Do: desk.Tell}, desk.Action{Do: desk.Yes, Refused: "It asks nothing: it waits for its next instruction."})
	idle.Did = &desk.Did{Words: "Done. The feed validates, and the two broken links are gone.", Diff: []desk.File{{Name: "feed.xml", Parts: []desk.Part{{Old: []string{"<link>http://old.example</link>"}, New: []string{"<link>https://new.example</link>"}}}}}, Files: 1, Added: 1, Removed: 1}
	work := card("7", desk.Working, 0, "aider in etl", "working", nil, desk.Action{Do: desk.Tell})
	return []desk.Card{bash, edit, plan, list, denied, idle, work}
}

// newSample returns a page whose streams begin with the sample cards.
func newSample(t *testing.T) *page {
	t.Helper()
	p := newPage(t)
	p.first = sample()
	return p
}

// openIn opens the page in a tab and signs in.
func (p *page) openIn(t *testing.T, b tab) {
	t.Helper()
	link, err := p.Link(false)
	if err != nil {
		t.Fatal(err)
	}
	b.visit(link)
	b.until("!document.body.classList.contains('out')")
	b.until("document.querySelectorAll('#list button').length === " + fmt.Sprint(len(p.first)))
}

// tell sends a change to one stream.
func (p *page) tell(c desk.Change) { p.changes <- c }

func (p *page) refuseWith(f *rpc.Fault) { p.mu.Lock(); defer p.mu.Unlock(); p.fault = f }

// armed waits until the card can be answered.
func (b tab) armed() {
	b.t.Helper()
	b.until("!document.getElementById('shown').classList.contains('disarmed')")
}

// waitFor waits until that many calls have arrived, and returns the last.
func (p *page) waitFor(t *testing.T, calls int) string {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if all := p.called(); len(all) >= calls {
			if len(all) > calls {
				t.Fatalf("%d calls, want %d: %q", len(all), calls, all)
			}
			return all[calls-1]
		}
		if time.Now().After(end) {
			t.Fatalf("%d calls, want %d", len(p.called()), calls)
		}
	}
}

func TestThePageInABrowser(t *testing.T) {
	way := openTunnel(t)
	c := startChromium(t, "--ignore-certificate-errors", "--host-resolver-rules=MAP nod.example.com:443 "+way.server.Listener.Addr().String())
	t.Run("a link, keys and buttons", func(t *testing.T) { answerInABrowser(t, c) })
	t.Run("the inbox's keys", func(t *testing.T) { moveInABrowser(t, c) })
	t.Run("a second look", func(t *testing.T) { consentInABrowser(t, c) })
	t.Run("a change under the finger", func(t *testing.T) { changeInABrowser(t, c) })
	t.Run("ticks, words and snooze", func(t *testing.T) { ticksInABrowser(t, c) })
	t.Run("two tabs, and the end of a session", func(t *testing.T) { endInABrowser(t, c) })
	t.Run("nod gone, and back", func(t *testing.T) { restartInABrowser(t, c) })
	t.Run("a notification", func(t *testing.T) { notifyInABrowser(t, c) })
	t.Run("expiry, and many options", func(t *testing.T) { expiryInABrowser(t, c) })
	t.Run("a thousand cards", func(t *testing.T) { manyInABrowser(t, c) })
	t.Run("what comes from outside", func(t *testing.T) { hostileInABrowser(t, c) })
	t.Run("a phone", func(t *testing.T) { phoneInABrowser(t, c) })
	t.Run("a Mini App", func(t *testing.T) { miniAppInABrowser(t, c, way) })
	t.Run("axe", func(t *testing.T) { axeInABrowser(t, c) })
	t.Run("pictures", func(t *testing.T) { picturesOfThePage(t, c) })
}

func answerInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.openIn(t, b)
	if got := b.eval("[location.hash, document.cookie, document.title, history.length > 2, Object.keys(localStorage).length]"); got != `["","","(5) nod",false,0]` {
		t.Errorf("fragment, cookie, title, a second entry of the history, kept things: %s", got)
	}
	b.armed()
	b.press("y")
	if got := p.waitFor(t, 1); !strings.Contains(got, `"answer":"y","fingerprint":"f1","id":"k3f"`) {
		t.Errorf("y sends %s", got)
	}
	b.shows("Approved, this once")
	b.press("j")
	b.shows("sum += shipping(items)")
	looked := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.Contains(p.views, "1") && slices.Contains(p.views, "2")
	}
	for end := time.Now().Add(patience); !looked(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nod is not told which cards are looked at")
		}
	}
	b.armed()
	b.click("button.no")
	if got := p.waitFor(t, 2); !strings.Contains(got, `"answer":"n","fingerprint":"f2","id":"p7q"`) {
		t.Errorf("the button No sends %s", got)
	}
	p.tell(desk.Change{Gone: []string{"2"}, Answered: []desk.Answered{{Title: "codex in shop", Subject: "internal/cart/total.go", Answer: "denied", By: "ann", State: "delivered", At: started}}})
	b.shows("denied · ann")
	b.until("document.title === '(4) nod'")
	b.press("/")
	for _, letter := range "qwen" {
		b.press(string(letter))
	}
	b.until("document.querySelectorAll('#list button').length === 1")
	b.press("Escape")
	b.until("document.querySelectorAll('#list button').length === 6")
	if said := c.complaints(); len(said) > 0 {
		t.Errorf("the console says %s", said)
	}
}

func consentInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.openIn(t, b)
	b.armed()
	p.refuseWith(&rpc.Fault{Message: "A part of the command can't be seen.", Reason: "needs_confirmation", Needs: "unseen"})
	b.press("y")
	b.until("document.getElementById('box').open")
	b.shows("A part of the command can't be seen.")
	for range 5 { // a key that is held down, or pressed again
		b.press("y")
		b.press("Enter")
	}
	for calm, left := 0, 200; calm < 10 && left > 0; left-- { // a key press after the first Enter may have asked again
		if calm++; b.eval("document.getElementById('box').open") == "true" {
			b.press("Enter")
			calm = 0
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.until("!document.getElementById('box').open") // Enter presses the focused button: Cancel
	if calls := p.called(); len(calls) < 1 || strings.Contains(strings.Join(calls, ""), `"unseen":true`) {
		t.Fatalf("a key consents: %q", calls)
	}
	before := len(p.called())
	b.armed()
	b.press("y")
	b.until("document.getElementById('box').open")
	p.refuseWith(nil)
	time.Sleep(disarmedFor)
	b.click("#choices .yes")
	if got := p.waitFor(t, before+2); !strings.Contains(got, `"unseen":true`) || !strings.Contains(got, `"sure":false`) {
		t.Errorf("consent sends %s", got)
	}
	b.shows("Approved, this once")
}

// disarmedFor is longer than the time after a change in which the page takes no answer.
const disarmedFor = 600 * time.Millisecond

func changeInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.openIn(t, b)
	b.armed()
	button := "document.querySelector('[data-focus=yes]')"
	b.eval("window.before = " + button + "; before.focus(); 1")
	other := p.first[0]
	asks := *other.Asks
	asks.Fingerprint, asks.Subject = "f1b", "rm -rf /"
	other.Asks = &asks
	p.tell(desk.Change{Cards: []desk.Card{other}})
	b.until("document.querySelector('ol.lines').innerText.includes('rm -rf /')")
	b.press("y")
	b.click("button.yes")
	if calls := p.called(); len(calls) > 0 && b.eval("document.getElementById('shown').classList.contains('disarmed')") == "true" {
		t.Errorf("a card that changed under the finger took %q", calls)
	}
	if got := b.eval(button + " === before && document.activeElement === before"); got != "true" {
		t.Error("buttons that did not change were drawn again, or lost the focus")
	}
	b.armed()
	n := len(p.called())
	b.press("y")
	if got := p.waitFor(t, n+1); !strings.Contains(got, `"fingerprint":"f1b"`) {
		t.Errorf("an answer is given to %s", got)
	}
	// Only the preview changes: nothing is disarmed.
	other.Screen = append(slices.Clone(other.Screen), screen.Drawn{Text: "a row more"})
	p.tell(desk.Change{Cards: []desk.Card{other}})
	b.shows("a row more")
	if b.eval("document.getElementById('shown').classList.contains('disarmed')") == "true" {
		t.Error("a row of the preview disarms the card")
	}
}

func ticksInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.openIn(t, b)
	b.click("#list [data-focus='4']")
	b.armed()
	b.press("2")
	if got := p.waitFor(t, 1); !strings.Contains(got, `"answer":"tick 2","fingerprint":"f4"`) {
		t.Errorf("2 sends %s", got)
	}
	b.until("!busy")
	b.eval("document.activeElement.blur()")
	b.press(" ")
	if got := p.waitFor(t, 2); !strings.Contains(got, `"answer":"tick 1"`) {
		t.Errorf("space sends %s", got)
	}
	b.until("!busy")
	b.click("[data-focus=send]")
	if got := p.waitFor(t, 3); !strings.Contains(got, `"answer":"send"`) {
		t.Errorf("the button Send sends %s", got)
	}
	b.until("!busy")
	b.click("#list [data-focus='6']")
	b.armed()
	b.press("t")
	b.until("document.activeElement.id === 'words'")
	for _, letter := range "go on y" {
		b.press(string(letter))
	}
	b.press("Enter")
	if got := p.waitFor(t, 4); got != `instruction.submit {"life":"opencode 6 1","pane":"%6","text":"go on y","way":"page"}` {
		t.Errorf("t sends %s", got)
	}
	b.until("!busy")
	b.press("y") // refused; the button shows the reason
	b.shows("It asks nothing")
	b.click("#list [data-focus='1']")
	b.armed()
	b.press("z")
	b.until("document.getElementById('box').open")
	b.press("2") // too early
	time.Sleep(disarmedFor)
	b.press("2")
	if got := p.waitFor(t, 5); got != `nudge.snooze {"fingerprint":"f1","for_ms":1800000,"id":"k3f"}` {
		t.Errorf("z sends %s", got)
	}
}

func endInABrowser(t *testing.T, c *chromium) {
	p, one, two := newSample(t), c.tab(t, 1200, 800, false), c.tab(t, 1200, 800, false)
	p.openIn(t, one)
	two.visit(p.base)
	two.shows("nod web") // another tab has its own session
	p.openIn(t, two)
	one.eval("location.reload()")
	one.until("document.readyState === 'complete' && !document.body.classList.contains('out')") // the tab has kept its key
	two.do("Network.enable", nil)
	two.do("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	p.Revoke()
	two.until(`/^Disconnected since ([01]\d|2[0-3]):[0-5]\d\. Is nod running\?$/.test(document.getElementById("trouble").textContent)`)
	two.until("document.title === '(?) nod'")
	two.armed()
	two.press("y")
	two.shows("nod is not connected: nothing was sent.")
	one.shows("This page is signed out.")
	two.do("Network.emulateNetworkConditions", map[string]any{"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	two.shows("This page is signed out.")
	if got := one.eval("[sessionStorage.length, document.querySelector('#list').checkVisibility()]"); got != "[0,false]" {
		t.Errorf("keys left, the list shown: %s", got)
	}
	c.complaints()
}

func hostileInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	nasty := `</span><img src=x onerror="window.hit=1"><script>window.hit=1</script><svg onload=window.hit=1>`
	card := p.first[0]
	card.Title, card.Note = nasty, nasty
	card.Asks = &desk.Asks{Nudge: "x", Fingerprint: nasty, Verb: nasty, Question: nasty, Subject: nasty, Kind: "permission", Says: nasty, Minds: []string{nasty},
		Diff:    []desk.File{{Name: nasty, Parts: []desk.Part{{Head: nasty}, {Same: []string{nasty}}, {New: []string{nasty}}}}},
		Plan:    []desk.Block{{Is: "h1", Spans: []desk.Span{{Text: nasty}}}, {Is: "li", Mark: nasty, Spans: []desk.Span{{Is: "code", Text: nasty}}}, {Is: "pre", Mark: nasty, Spans: []desk.Span{{Text: nasty}}}},
		Options: []desk.Option{{Number: 1, Label: nasty, Note: nasty, Lasts: nasty}}}
	card.Screen = []screen.Drawn{{Text: nasty}}
	card.Actions = []desk.Action{{Do: desk.Yes, Refused: nasty}, {Do: desk.Act(nasty)}, {Do: "constructor"}}
	p.first[0] = card
	p.openIn(t, b)
	b.shows("<script>")
	if got := b.eval("[window.hit ?? 0, document.querySelectorAll('main img, main script, main svg, nav img, nav script').length]"); got != "[0,0]" {
		t.Errorf("hits and elements: %s", got)
	}
	if got := b.eval(`(() => { try { document.body.innerHTML = "<p>x"; return "made"; } catch { return "refused"; } })()`); got != `"refused"` {
		t.Errorf("markup of a text is %s", got)
	}
	c.complaints()
	framed := c.tab(t, 800, 600, false)
	framed.visit(p.base + "/nowhere") // a page of the same origin, which has the most rights
	framed.until("document.readyState === 'complete'")
	framed.do("Page.setBypassCSP", map[string]any{"enabled": true})
	framed.eval("(() => { const f = document.createElement('iframe'); f.src = '/'; document.body.append(f); })()")
	time.Sleep(disarmedFor)
	if got := framed.eval("(() => { try { return document.querySelector('iframe').contentDocument?.getElementById('list') ? 'framed' : 'not'; } catch { return 'not'; } })()"); got != `"not"` {
		t.Errorf("the page is %s", got)
	}
	c.complaints()
}
