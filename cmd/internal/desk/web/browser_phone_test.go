//go:build browser

package web

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func phoneInABrowser(t *testing.T, c *chromium) {
	p, b := newSample(t), c.tab(t, 360, 740, false)
	p.openIn(t, b)
	if got := b.eval("document.querySelector('#card').checkVisibility()"); got != "false" {
		t.Error("a phone shows list and card at once")
	}
	signs := "[...document.querySelectorAll('.diff .part span')].filter(e => e.checkVisibility()).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map(e => e.dataset.sign === '−' ? '-' : e.dataset.sign).join('').trim()"
	for _, width := range []int{600, 861, 1100, 1600, 360} {
		b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 500})
		for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
			b.eval("choose('" + id + "'); 1")
			if got := b.eval("document.documentElement.scrollWidth > innerWidth"); got != "false" {
				t.Errorf("card %s is wider than %d pixels", id, width)
			}
			want := `"--++ +"`
			if width > 860 { // list and card are side by side
				want = `"-+-+  +"`
			}
			if got := b.eval(signs); id == "2" && got != want {
				t.Errorf("at %d pixels the lines are %s", width, got)
			}
		}
	}
	b.click("#back")
	b.click("#list [data-focus='1']")
	b.armed()
	b.click("button.yes")
	p.waitFor(t, 1)
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		b.click("#back")
		b.click("#list [data-focus='" + id + "']")
		if got := b.eval("[document.documentElement.scrollWidth, Math.max(...[...document.querySelectorAll('main button, header button')].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().right))].every(x => x <= 360)"); got != "true" {
			t.Errorf("card %s is wider than the phone", id)
		}
	}
	if said := c.complaints(); len(said) > 0 {
		t.Errorf("the console says %s", said)
	}
}

// tunnel plays the owner's tunnel: it leads from the public host to a page, and marks its requests as
// forwarded.
type tunnel struct {
	server *httptest.Server
	to     atomic.Pointer[page]
}

func openTunnel(t *testing.T) *tunnel {
	t.Helper()
	way := &tunnel{}
	proxy := httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", strings.TrimPrefix(way.to.Load().base, "http://")
		r.SetXForwarded()
	}}
	way.server = httptest.NewTLSServer(&proxy)
	t.Cleanup(way.server.Close)
	return way
}

// miniAppInABrowser opens the page as Telegram's apps do: by its public name, with Telegram's proof in the
// fragment.
func miniAppInABrowser(t *testing.T, c *chromium, way *tunnel) {
	p, b := newSample(t), c.tab(t, 412, 800, true)
	way.to.Store(p)
	b.visit(public + "/?nudge=p7q#tgWebAppVersion=9.5&tgWebAppData=" + url.QueryEscape(initData(token, ann, time.Now())))
	b.shows("sum += shipping(items)") // the question of the message with the button
	if got := b.eval("[location.hash, location.search, document.cookie]"); got != `["","",""]` {
		t.Errorf("what stays of the address, and a cookie: %s", got)
	}
	b.armed()
	b.click("button.yes")
	p.waitFor(t, 1)
	if p.who[0].User != ann {
		t.Errorf("the answer is of %+v", p.who[0])
	}
	stranger := c.tab(t, 412, 800, true)
	stranger.visit(public + "/#tgWebAppData=" + url.QueryEscape(initData(token, ann+1, time.Now())))
	stranger.shows("Only a supervisor's own Telegram opens this page.")
	passerby := c.tab(t, 412, 800, true)
	passerby.visit(public + "/")
	passerby.shows("Open this page in Telegram")
	p.Revoke()
	b.shows("open it again in Telegram")
	c.complaints()
}

// axeInABrowser checks the page against the rules of axe-core (github.com/dequelabs/axe-core), if npm
// provides it.
func axeInABrowser(t *testing.T, c *chromium) {
	dir := t.TempDir()
	pack := exec.CommandContext(t.Context(), "npm", "pack", "--silent", "axe-core@4.10.3")
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("npm gives no axe-core: %v %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(dir, "axe-core-4.10.3.tgz"), "-C", dir, "package/axe.min.js").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	axe, err := os.ReadFile(filepath.Join(dir, "package", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{1200, 900}, {360, 740}} {
		for _, dark := range []bool{false, true} {
			p, b := newSample(t), c.tab(t, size[0], size[1], dark)
			p.openIn(t, b)
			b.eval(string(axe) + "; 1")
			for _, id := range []string{"", "1", "2", "3", "4", "5", "6"} {
				if id != "" {
					b.eval("document.querySelector(\"#list [data-focus='" + id + "']\").click()")
					b.armed()
				}
				var found []struct {
					ID    string
					Nodes []struct{ HTML, FailureSummary string }
				}
				if err := json.Unmarshal([]byte(b.eval("axe.run().then(r => r.violations.map(v => ({id: v.id, nodes: v.nodes.map(n => ({html: n.html, failureSummary: n.failureSummary}))})))")), &found); err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					t.Errorf("%d pixels, dark %t, card %q: %s: %+v", size[0], dark, id, v.ID, v.Nodes)
				}
			}
		}
	}
}

// picturesOfThePage redraws the pictures of docs/page.md on request.
func picturesOfThePage(t *testing.T, c *chromium) {
	if *pictures == "" {
		t.Skip("-pictures DIR draws them")
	}
	for _, of := range []struct {
		name, card    string
		width, height int
		dark          bool
	}{
		{"page.png", "2", 1280, 720, false},
		{"page-dark.png", "1", 1280, 860, true},
		{"page-phone.png", "3", 412, 820, false},
	} {
		p, b := newSample(t), c.tab(t, of.width, of.height, of.dark)
		p.openIn(t, b)
		b.click("#list [data-focus='" + of.card + "']")
		b.armed()
		if err := os.WriteFile(filepath.Join(*pictures, of.name), b.picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
