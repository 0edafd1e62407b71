//go:build browser

package web

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
)

// notifier replaces the browser's own notifications, which a test can't see: it keeps the last one.
const notifier = `window.Notification = class {
	static permission = "default";
	static async requestPermission() { return Notification.permission = "granted"; }
	constructor(title, options) { window.told = [title, options.body, options.tag]; window.notice = this; }
}`

// notifyInABrowser: permission is requested only when a person wants notifications. A question that arrives
// while the page is hidden causes one notification. A click on it shows the question and answers nothing.
func notifyInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	b.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": notifier})
	p.openIn(t, b)
	b.click("#notify")
	b.until("document.getElementById('notify').hidden")
	next := p.first[1]
	next.ID, next.Title = "9", "goose in shop"
	asks := *next.Asks
	asks.Fingerprint, next.Asks = "f9", &asks
	p.tell(desk.Change{Cards: []desk.Card{next}})
	b.shows("goose in shop")
	if got := b.eval("window.told ?? null"); got != "null" {
		t.Errorf("what is seen is told too: %s", got)
	}
	b.eval("Object.defineProperty(document, 'hidden', {get: () => true, configurable: true}); 1")
	asks.Fingerprint = "f10"
	p.tell(desk.Change{Cards: []desk.Card{next}})
	b.until("window.told")
	if got := b.eval("told"); got != `["goose in shop","Edit file internal/cart/total.go","9"]` {
		t.Errorf("told: %s", got)
	}
	b.eval("told = null; notice.onclick(); 1")
	b.until("document.querySelector('#list [aria-current=true]').dataset.focus === '9'")
	next.Note = "still the same question"
	p.tell(desk.Change{Cards: []desk.Card{next}})
	b.shows("still the same question")
	if got := b.eval("told"); got != "null" || len(p.called()) > 0 {
		t.Errorf("told again: %s; answered: %q", got, p.called())
	}
	asks.Reminder = 2
	p.tell(desk.Change{Cards: []desk.Card{next}})
	b.until("window.told")
	c.complaints()
}

// moveInABrowser: the inbox's keys for moving work on the page too. Tab moves only from the list, so it still
// reaches every button.
func moveInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1000, 400, false)
	p.openIn(t, b)
	selected := func(id string) {
		t.Helper()
		b.until("document.querySelector('#list [aria-current=true]').dataset.focus === '" + id + "'")
	}
	for _, step := range [][2]string{{"Tab", "2"}, {"End", "7"}, {"Tab", "1"}, {"End", "7"}, {"Home", "1"}, {"k", "1"}, {"j", "2"}, {"Tab", "3"}, {"Home", "1"}} {
		b.press(step[0])
		selected(step[1])
	}
	b.press("PageDown")
	b.until("document.getElementById('card').scrollTop > 0")
	b.press("[")
	b.until("document.getElementById('card').scrollTop === 0")
	b.press("e")
	b.until("getComputedStyle(document.querySelector('.screen .subject'), '::before').content === '\"subject\"'")
	b.press("Enter") // on a row of the list
	b.until("document.activeElement.id === 'card'")
	b.press("Tab")
	b.until("document.activeElement.closest('#shown')")
	selected("1")
	p.refuseWith(&rpc.Fault{Message: "A part of the command can't be seen.", Reason: "needs_confirmation", Needs: "unseen"})
	b.armed()
	b.press("y")
	b.until("document.getElementById('box').open")
	b.press("c") // too early
	time.Sleep(disarmedFor)
	p.refuseWith(nil)
	b.press("c")
	if got := p.waitFor(t, 2); !strings.Contains(got, `"unseen":true`) {
		t.Errorf("c sends %s", got)
	}
	if said := c.complaints(); len(said) > 0 {
		t.Errorf("the console says %s", said)
	}
}

// expiryInABrowser: an expired question is asked again by a key, and the arrows reach options beyond the
// ninth.
func expiryInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.first[0].Actions = []desk.Action{{Do: desk.Yes, Refused: "It has expired."}, {Do: desk.Again}, {Do: desk.Skip}}
	list := *p.first[3].Asks
	list.Options = nil
	for i := range 12 {
		list.Options = append(list.Options, desk.Option{Number: i + 1, Label: fmt.Sprint("Port ", 8000+i)})
	}
	p.first[3].Asks, p.first[3].Actions = &list, []desk.Action{{Do: desk.Choose}}
	p.openIn(t, b)
	b.armed()
	b.press("y")
	b.shows("It has expired.")
	b.press("a")
	if got := p.waitFor(t, 1); got != `nudge.again {"fingerprint":"f1","id":"k3f"}` {
		t.Errorf("a sends %s", got)
	}
	b.shows("Asked again.")
	b.click("#list [data-focus='4']")
	b.armed()
	for range 14 {
		b.press("ArrowRight")
	}
	b.press("ArrowLeft")
	b.press("Enter")
	if got := p.waitFor(t, 2); !strings.Contains(got, `"answer":"11","fingerprint":"f4"`) {
		t.Errorf("the eleventh sends %s", got)
	}
	c.complaints()
}

// manyInABrowser: with a thousand cards, sixty of which change in a second, the page is idle most of the time
// and a key still answers.
func manyInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	kinds := slices.Clone(p.first)
	for i := range 1000 - len(kinds) {
		card := kinds[i%len(kinds)]
		card.ID, card.Rank = fmt.Sprint("more", i), 10+i
		p.first = append(p.first, card)
	}
	p.openIn(t, b)
	b.armed()
	b.do("Performance.enable", nil)
	spent := func() map[string]float64 { // seconds
		seconds := map[string]float64{}
		var got struct {
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		b.call(t, b.session, "Performance.getMetrics", nil, &got)
		for _, m := range got.Metrics {
			seconds[m.Name] = m.Value
		}
		return seconds
	}
	b.eval("window.gaps = []; (() => { let last = performance.now(); const frame = now => { gaps.push(now - last); last = now; requestAnimationFrame(frame); }; requestAnimationFrame(frame); })(); 1")
	before, began := spent(), time.Now()
	for i := range 40 {
		change := desk.Change{}
		for k := range 6 {
			card := p.first[(i*6+k)*37%len(p.first)]
			card.Note = fmt.Sprint("step ", i)
			card.Since = time.Now()
			change.Cards = append(change.Cards, card)
		}
		p.tell(change)
		time.Sleep(100 * time.Millisecond)
	}
	after, lasted := spent(), time.Since(began).Seconds()
	share := func(of string) float64 { return (after[of] - before[of]) / lasted }
	var gaps []float64
	if err := json.Unmarshal([]byte(b.eval("gaps.sort((a, b) => a - b)")), &gaps); err != nil || len(gaps) == 0 {
		t.Fatal(err, gaps)
	}
	t.Logf("%.0f %% of a core on the page's thread: the script %.0f %%, style and layout %.0f %%; of %d frames half took %.0f ms, nine tenths %.0f ms, the longest %.0f ms", 100*share("TaskDuration"), 100*share("ScriptDuration"), 100*(share("LayoutDuration")+share("RecalcStyleDuration")), len(gaps), gaps[len(gaps)/2], gaps[len(gaps)*9/10], gaps[len(gaps)-1])
	if share("ScriptDuration") > 0.3 { // a tenth on a machine without other work
		t.Errorf("a thousand cards take the script %.0f %% of the time", 100*share("ScriptDuration"))
	}
	b.press("j")
	b.until("document.querySelector('#list [aria-current=true]').dataset.focus === '2'")
	c.complaints()
}

// restartInABrowser: while nod is down, the page says since when and sends nothing. When nod is back, the
// page asks for a new link.
func restartInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 1200, 800, false)
	p.openIn(t, b)
	p.stop()
	b.until(`/^Disconnected since ([01]\d|2[0-3]):[0-5]\d\. Is nod running\?$/.test(document.getElementById("trouble").textContent)`)
	b.armed()
	b.press("y")
	b.shows("nod is not connected: nothing was sent.")
	listener, err := net.Listen("tcp", p.at.Load().String())
	if err != nil {
		t.Fatal(err)
	}
	p.Server = New(p.cfg)
	serve(t, p.Server, listener)
	b.shows("This page is signed out. nod web gives a new link.")
	p.openIn(t, b)
	b.until("document.getElementById('trouble').hidden && document.title !== '(?) nod'")
	if got := p.called(); len(got) > 0 {
		t.Errorf("it was sent: %q", got)
	}
	c.complaints()
}
