// The page: it draws what the feed tells and sends what a human does with it. It decides nothing: what it may show as done, and what
// needs a second tap, nod says. Text from outside only ever becomes text.
"use strict";

const $ = id => document.getElementById(id);
const sections = { needs: "Needs you", denied: "Denied", idle: "Idle", working: "Working", elsewhere: "Elsewhere" };
const styles = { yes: "yes", send: "yes", allow: "yes", send_wish: "yes", no: "no", leave_it: "no", drop_wish: "no" };
const written = ["deny_words", "words", "tell"], optional = ["choose", "tick"]; // acts that ask for words; that stand beside an option
const disarmed = 500; // ms for which a card takes no answer after it changed

const cards = new Map();
let key = sessionStorage.getItem("key"), watching = sessionStorage.getItem("watch") === "1";
let wanted = new URLSearchParams(location.search).get("nudge"); // the question that a button in Telegram was under
let selected = "", option = 0, armedAt = 0, lostAt = null, known = null, busy = false, health = null, answered = [];

// element makes an element with properties and children; a string becomes text.
function element(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") e.className = value;
    else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value);
  }
  e.append(...children.filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}

const time = at => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
function ago(at) {
  const minutes = Math.max(0, Math.floor((Date.now() - new Date(at)) / 60000));
  return minutes < 1 ? "now" : minutes < 60 ? minutes + " min" : minutes < 1440 ? Math.floor(minutes / 60) + " h" : Math.floor(minutes / 1440) + " d";
}
const say = text => { $("live").textContent = text; };
const post = (path, body) => fetch(path, {
  method: "POST", body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...(key && { Authorization: "Bearer " + key }) },
});

// ── signing in ──

async function begin() {
  const fragment = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // a code stays in no history
  const opened = new URLSearchParams(fragment).get("tgWebAppData");
  if (opened) window.TelegramWebviewProxy?.postEvent("web_app_expand", "{}");
  if (fragment) {
    const answer = await post("/login", opened ? { init_data: opened } : { code: fragment }).catch(() => null);
    if (answer?.ok) {
      ({ key, watch: watching } = await answer.json());
      sessionStorage.setItem("key", key);
      sessionStorage.setItem("watch", watching ? "1" : "");
    } else if (!key) return signOut(answer ? await answer.text() : "nod does not answer. Is it running?");
  }
  if (!key) return signOut(location.protocol === "https:" ? "Open this page in Telegram: the button beside your bot's input field does." : "Run `nod web` in a terminal: it prints a link to this page that works once.");
  document.body.classList.remove("out");
  listen();
}

function signOut(why) {
  sessionStorage.clear();
  key = null;
  $("why").replaceChildren(...why.split("`").map((text, i) => i % 2 ? element("code", {}, text) : text));
  document.title = "nod";
  document.body.className = "out";
}

// ── the feed ──

async function listen() {
  for (let wait = 500; key; wait = Math.min(wait * 2, 10000)) {
    try {
      const answer = await fetch("/feed", { headers: { Authorization: "Bearer " + key } });
      if (answer.status === 401) return signOut(await answer.text());
      if (!answer.ok) throw new Error(await answer.text());
      wait = 500;
      await read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
      lost("");
    } catch (failed) { lost(failed instanceof TypeError ? "" : failed.message); }
    await new Promise(done => setTimeout(done, wait));
  }
}

// read takes in events until the stream ends, or nothing has come for three beats.
async function read(reader) {
  let text = "";
  for (;;) {
    let timer;
    const silent = new Promise((_, fail) => { timer = setTimeout(() => fail(new TypeError("silence")), 45000); });
    const { value, done } = await Promise.race([reader.read(), silent]).finally(() => clearTimeout(timer));
    if (done) return;
    lostAt = null;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) if (event.startsWith("data: ")) take(JSON.parse(event.slice(6)));
    trouble();
  }
}

function lost(why) {
  lostAt ??= new Date();
  trouble(why);
}

function trouble(why = "") {
  const lines = lostAt ? [`Disconnected since ${time(lostAt)}. ${why || "Is nod running?"}`] : health?.problems ?? [];
  $("trouble").hidden = lines.length === 0;
  $("trouble").textContent = lines.join("\n");
  document.body.classList.toggle("lost", Boolean(lostAt));
  if (lostAt) status();
}

function take(change) {
  if (change.snapshot) cards.clear();
  for (const id of change.gone ?? []) cards.delete(id);
  for (const card of change.cards ?? []) cards.set(card.id, card);
  if (change.health) health = change.health;
  if (change.answered) answered = change.answered;
  const meant = wanted && [...cards.values()].find(c => c.asks?.nudge === wanted);
  if (meant) choose(meant.id);
  wanted = null;
  announce();
  draw();
}

// announce tells of questions that are new, and reminds of them when the chat would.
function announce() {
  const asking = [...cards.values()].filter(c => c.section === "needs" || c.section === "denied");
  const news = c => [c.id, c.asks?.fingerprint, Math.max(c.asks?.reminder ?? 0, 1)].join();
  for (const card of known ? asking.filter(c => !known.has(news(c))) : []) {
    say(`${card.title}: ${card.what || "asks"}`);
    if (document.hidden && window.Notification?.permission === "granted")
      new Notification(card.title, { body: card.what, tag: card.id, renotify: true }).onclick = () => { window.focus(); choose(card.id); };
  }
  known = new Set(asking.map(news));
}

// ── drawing ──

function listed() {
  const filter = $("filter").value.toLowerCase();
  const matches = c => !filter || [c.title, c.agent, c.where, c.state, c.note, c.asks?.verb, c.asks?.subject, c.did?.words].join(" ").toLowerCase().includes(filter);
  return Object.keys(sections).flatMap(s => [...cards.values()].filter(c => c.section === s && matches(c)).sort((a, b) => a.rank - b.rank));
}

// look tells nod which card is looked at: it reads that screen more often.
function look() {
  if (key && selected && !document.hidden) post("/view", { card: selected }).catch(() => {});
}

function draw() {
  const all = listed();
  if (!cards.has(selected)) {
    selected = innerWidth > 860 ? all[0]?.id ?? "" : "";
    if (!selected) document.body.classList.remove("detail");
    look();
  }
  status();
  drawList(all);
  drawCard(cards.get(selected));
}

function status() {
  const waits = [...cards.values()].filter(c => c.section === "needs" || c.section === "denied").length;
  document.title = lostAt ? "(?) nod" : waits ? `(${waits}) nod` : "nod";
  const text = (waits ? `${waits} ${waits === 1 ? "waits" : "wait"} for you` : "Nothing waits") + (watching ? " · watching only" : "");
  if ($("status").textContent !== text) $("status").textContent = text;
}

// part draws e again only where its data has changed, and keeps the focus in it.
function part(e, data, make) {
  const text = JSON.stringify(data);
  if (e.drawn === text) return;
  e.drawn = text;
  const focused = e.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  e.replaceChildren(...[make()].flat().filter(Boolean));
  if (focused) [...e.querySelectorAll("[data-focus]")].find(b => b.dataset.focus === focused)?.focus({ preventScroll: true });
}

// What the list is made of stays as long as its card does: a thousand cards are not drawn again for each that changes.
const rows = new Map(), groups = Object.entries(sections).map(([id, name]) => ({ id, name, head: element("h2"), body: element("ul") }));
for (const g of groups) g.whole = element("section", {}, g.head, g.body);
const lately = element("section");

// open shows a card. Who did it by a key goes on in it.
function open(id, { detail }) {
  choose(id);
  if (!detail) $("card").focus();
}

function rowOf(c) {
  if (!rows.has(c.id)) rows.set(c.id, element("li", {}, element("button", { type: "button", "data-focus": c.id, onclick: e => open(c.id, e) })));
  const row = rows.get(c.id), button = row.firstChild, stuck = c.asks?.stuck ?? false;
  part(button, [c.title, c.what, stuck, ago(c.since)], () => {
    button.classList.toggle("stuck", stuck);
    return [element("span", { class: "top" }, element("span", { class: "title" }, c.title), element("span", { class: "since" }, (stuck ? "stuck " : "") + ago(c.since))),
      element("div", { class: "what" }, c.what)];
  });
  if (button.ariaCurrent !== (c.id === selected ? "true" : null)) button.ariaCurrent = c.id === selected ? "true" : null;
  return row;
}

// place gives e these children, and moves as few as it can.
function place(e, children) {
  let at = e.firstChild;
  for (const child of children) {
    if (at && at.nextSibling === child) { at.remove(); at = child; }
    if (at === child) at = at.nextSibling; else e.insertBefore(child, at);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

function drawList(all) {
  for (const id of rows.keys()) if (!cards.has(id)) rows.delete(id);
  for (const g of groups) {
    const its = all.filter(c => c.section === g.id);
    g.any = its.length > 0;
    part(g.head, [its.length], () => `${g.name} · ${its.length}`);
    place(g.body, its.map(rowOf));
  }
  part(lately, answered, () => [element("h2", {}, "Answered lately"), element("ul", {}, ...answered.slice(0, 5).map(a => element("li", { class: "answered" },
    element("div", { class: "top" }, element("span", { class: "title" }, a.title), element("span", { class: "since" }, time(a.at))),
    element("div", { class: "what" }, a.subject), element("div", { class: "since" }, `${a.answer} · ${a.by}${a.state === "delivered" ? "" : " · " + a.state}`))))]);
  place($("list"), [...groups.filter(g => g.any).map(g => g.whole), ...(answered.length ? [lately] : [])]);
  if (!$("list").firstChild) $("list").append(element("h2", {}, $("filter").value ? "Nothing matches." : "No agents yet."));
}

function drawCard(card) {
  $("none").hidden = Boolean(card);
  $("shown").hidden = !card;
  if (!card) return;
  const { asks, actions = [] } = card;
  const drawn = JSON.stringify([card.id, asks, actions, card.section, card.did?.diff]);
  if ($("shown").drawn !== drawn) {
    if ($("shown").card !== card.id || asks && $("shown").asked !== asks.fingerprint) outcome(""); // that of the question before
    $("shown").drawn = drawn;
    $("shown").card = card.id;
    $("shown").asked = asks?.fingerprint;
    if (!asks?.options?.some(o => o.number === option)) option = asks?.options?.[0]?.number ?? 0;
    disarm();
  }
  const put = (name, data, make) => part($("shown").querySelector(`[data-part=${name}]`), data, make);
  put("head", [card.title, card.where, card.state, card.since, card.note, asks?.verb, asks?.question, asks?.reminder, ago(card.since)], () => [
    element("h2", {}, card.title),
    element("p", { class: "facts" }, [card.where || "in no pane", `${card.state}, ${ago(card.since)}`, asks?.reminder > 1 ? `reminder ${asks.reminder}` : ""].filter(Boolean).join(" · ")),
    card.note ? element("p", { class: "facts" }, card.note) : null,
    asks?.verb || asks?.question ? element("p", { class: "asks" }, [asks.verb, asks.question].filter(Boolean).join(": ")) : null,
  ]);
  put("minds", asks?.minds, () => asks?.minds?.length && element("ul", { "aria-label": "Mind this before you answer" }, ...asks.minds.map(m => element("li", {}, m))));
  put("subject", [asks?.subject, asks?.lead, asks?.kind], () => asks?.subject && drawSubject(asks));
  put("says", asks?.says || card.did?.words, () => (asks?.says || card.did?.words) && [element("h3", {}, "What it said"), element("p", {}, asks?.says || card.did.words)]);
  put("plan", asks?.plan, () => asks?.plan && element("div", { class: "plan", role: "group", "aria-label": "Its plan" }, ...asks.plan.map(drawBlock)));
  put("diff", [asks?.diff, card.did?.diff], () => [...asks?.diff ?? [], ...card.did?.diff ?? []].map(drawFile));
  put("options", [asks?.options, actions, option], () => asks?.options?.length && element("ul", { class: "options" }, ...asks.options.map(o => element("li", {}, drawOption(o, actions)))));
  put("actions", actions, () => drawActions(actions));
  put("screen", card.screen, () => card.screen?.length && element("details", { open: "" }, element("summary", {}, element("h3", {}, "Its screen")),
    element("div", { class: "code screen", tabindex: "0", role: "img", "aria-label": "The rows of its screen" }, ...card.screen.map(row => element("span", { class: row.role, "data-role": row.role }, row.text)))));
}

// drawSubject draws a command with numbers where it has several lines; what is said of it has none.
function drawSubject({ subject, lead, kind }) {
  const lines = subject.split("\n"), own = lead || lines.length;
  if (kind === "question") return element("p", { class: "asks" }, subject);
  return element("ol", { class: "code lines" + (own > 1 ? " many" : ""), "aria-label": "What it asks about" }, ...lines.map((line, i) => element("li", { class: i < own ? "" : "more" }, line)));
}

function drawBlock(b) {
  const text = b.spans.map(s => s.is ? element(s.is, {}, s.text) : s.text);
  switch (b.is) {
    case "hr": return element("hr");
    case "pre": return element("div", { class: "pre code" }, b.mark ? element("div", { class: "mark" }, b.mark) : null, ...text);
    case "li": return element("div", { class: `li deep${Math.min(b.depth ?? 0, 3)}` }, element("span", { class: "mark" }, /\d/.test(b.mark) ? b.mark : "•"), element("span", {}, ...text));
    case "p": return element("p", {}, ...text);
    default: return element("div", { class: "h " + b.is, role: "heading", "aria-level": "3" }, ...text);
  }
}

// drawFile draws lines that were taken out beside those put in for them; where there is no room for that, above them.
function drawFile(f) {
  const side = (rows, lines, style, sign) => Array.from({ length: rows }, (_, i) => i < lines.length ? element("span", { class: style, "data-sign": sign }, lines[i]) : element("span", { class: "void" }));
  return element("div", { class: "diff code", role: "group", "aria-label": "Changes" + (f.name ? " in " + f.name : "") }, f.name ? element("p", {}, f.name) : null,
    ...(f.parts ?? []).map(({ head, same, old = [], new: now = [] }) => {
      if (head) return element("div", { class: "hunk" }, head);
      const rows = same?.length ?? Math.max(old.length, now.length);
      const part = element("div", { class: "part" }, ...side(rows, same ?? old, same ? "" : "gone", same ? " " : "−"), ...side(rows, same ?? now, same ? "again" : "added", same ? " " : "+"));
      part.style.setProperty("--rows", rows);
      return part;
    }));
}

function drawOption(o, actions) {
  const box = o.ticked === undefined || o.ticked === null ? "" : o.ticked ? "☑ " : "☐ ";
  const does = o.refused ? "" : ["tick", "choose"].find(d => (d === "tick") === Boolean(box) && actions.some(a => a.do === d && !a.refused));
  const inside = [element("span", { class: "number" }, String(o.number)), element("span", { class: "label" }, box + o.label,
    o.note ? element("span", { class: "note" }, o.note) : null, o.lasts ? element("span", { class: "note lasts" }, o.lasts) : null, o.refused && !actions.some(a => a.do === "yes") ? element("span", { class: "note" }, o.refused) : null)];
  if (!does) return element("div", { class: "option" }, ...inside);
  return element("button", { type: "button", "data-focus": "option" + o.number, role: box ? "checkbox" : null, "aria-checked": box ? String(o.ticked) : null,
    onfocus: () => { option = o.number; }, onclick: () => act(does, { option: o.number }) }, ...inside);
}

function drawActions(actions) {
  const shown = actions.filter(a => a.refused || !optional.includes(a.do));
  const refused = [...new Set(shown.filter(a => a.refused).map(a => a.refused))];
  return [...shown.map(a => element("button", { type: "button", class: a.refused ? "" : styles[a.do] ?? "", "data-focus": a.do,
    "aria-disabled": a.refused ? "true" : null, "aria-describedby": a.refused ? "refusal" + refused.indexOf(a.refused) : null, title: a.refused ?? null, onclick: () => act(a.do) },
  a.label, element("kbd", { "aria-hidden": "true" }, a.key))),
  ...refused.map((why, i) => element("p", { class: "refusals", id: "refusal" + i }, why))];
}

// ── answering ──

function disarm() {
  armedAt = performance.now() + disarmed;
  $("shown").classList.add("disarmed");
  setTimeout(() => { if (performance.now() >= armedAt) $("shown").classList.remove("disarmed"); }, disarmed + 20);
}

function outcome(text, style = "") {
  $("outcome").textContent = text;
  $("outcome").className = style;
}

async function act(does, more = {}) {
  const card = cards.get(selected), can = card?.actions?.find(a => a.do === does);
  if (!can || busy || performance.now() < armedAt) return;
  if (can.refused || lostAt) return outcome(can.refused || "nod is not connected: nothing was sent.", "bad");
  const pane = card.server ? `${card.pane}@${card.server}` : card.pane; // two tmux servers have panes of one name
  const drawn = { do: does, nudge: card.asks?.nudge ?? "", call: card.asks?.call ?? 0, pane, life: card.life, fingerprint: card.asks?.fingerprint ?? "", ...more };
  if (written.includes(does) && more.text === undefined) {
    const text = await ask(`${card.title}\n${can.help[0].toUpperCase()}${can.help.slice(1)}`, true, [["Cancel", ""], ["Send", "send", "", "yes"]]);
    return text ? send(card.id, can.label, { ...drawn, text }) : undefined;
  }
  if (does === "snooze") {
    const ms = await ask(`${card.title}\nPut it off`, false, [["Cancel", ""], ...can.lengths.map((l, i) => [l.name, String(l.ms), String(i + 1)])]);
    return ms ? send(card.id, can.label, { ...drawn, for_ms: Number(ms) }) : undefined;
  }
  return send(card.id, can.label, drawn);
}

// send sends what was drawn. What nod does only after a second look is asked for in a box, and sent once more.
async function send(id, label, reply) {
  busy = true;
  outcome("…");
  let said;
  try {
    const answer = await post("/answer", reply);
    if (answer.status === 401) return signOut(await answer.text());
    said = answer.ok ? await answer.json() : { refused: await answer.text() };
  } catch { said = { refused: "nod did not answer, so it is not known what became of it: look at the agent." }; } finally { busy = false; }
  if (said.needs && !reply[said.needs] && cards.get(id)?.asks?.fingerprint === reply.fingerprint) {
    outcome("");
    const sure = await ask(`${said.refused}`, false, [["Cancel", ""], [label + ", I have read it", "sure", "c", "yes"]]);
    return sure ? send(id, label, { ...reply, [said.needs]: true }) : undefined;
  }
  if (selected === id || !cards.has(id)) outcome(said.refused ?? said.said, said.refused ? "bad" : "good");
  say($("outcome").textContent);
}

// ask shows the box and gives the value of the button that was pressed, or the words; empty: none. Cancel has the focus, so that a key
// which is still held down consents to nothing.
function ask(question, words, choices) {
  $("asked").replaceChildren(question);
  $("words").hidden = !words;
  $("words").value = "";
  const box = $("box"), from = performance.now();
  return new Promise(settle => {
    const close = value => { box.onclose = null; box.close(); settle(words && value ? $("words").value.trim() : value); };
    const pick = value => { if (!value || words || performance.now() - from >= disarmed) close(value); };
    $("choices").replaceChildren(...choices.map(([label, value, key, style]) => element("button", { type: "button", class: style ?? "", onclick: () => pick(value) }, label, key && element("kbd", { "aria-hidden": "true" }, key))));
    box.onkeydown = e => {
      const meant = !e.repeat && !e.ctrlKey && !e.metaKey && !e.altKey && choices.find(c => c[2] === e.key);
      if (meant) { e.preventDefault(); pick(meant[1]); }
    };
    $("words").onkeydown = e => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); pick("send"); } };
    box.onclose = () => settle("");
    box.showModal();
    (words ? $("words") : $("choices").firstChild).focus();
  });
}

function choose(id, focus = false) {
  selected = id;
  document.body.classList.add("detail");
  draw();
  look();
  if (focus) $("list").querySelector("[aria-current=true]")?.focus();
  $("card").scrollTop = 0;
}

// ── keys ──

function move(by) {
  const all = listed(), at = all.findIndex(c => c.id === selected);
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
  if (next) choose(next.id, true);
}

// next selects the next card that needs a human, and reports whether there is another one.
function next() {
  const all = listed(), at = all.findIndex(c => c.id === selected) + 1;
  const card = [...all.slice(at), ...all.slice(0, at)].find(c => c.id !== selected && (c.section === "needs" || c.section === "denied"));
  if (card) choose(card.id, true);
  return Boolean(card);
}

// point gives the focus to another option: those beyond the ninth have no key of their own.
function point(by) {
  const all = [...document.querySelectorAll("#shown .options button")];
  all[Math.min(Math.max(all.indexOf(document.activeElement) + by, 0), all.length - 1)]?.focus();
}

const keys = [["j k ↑ ↓ Home End", "select"], ["Tab", "in the list: the next that needs you"], ["Enter", "open, or send"], ["PgUp PgDn [ ]", "the rest of the card"],
  ["y n", "yes, no"], ["1…9 ← →", "choose"], ["space", "tick"], ["r", "answer in words"], ["d", "no, and say why"], ["t", "tell it what to do next"], ["a l", "allow or ask again; leave it"],
  ["s z", "skip, snooze"], ["e", "what nod takes each row of the screen for"], ["/ ?", "filter, these keys"]];
const help = () => ask(element("span", { class: "keys" }, ...keys.flatMap(([names, does]) => [element("b", {}, names), element("span", {}, does)])), false, [["Close", ""]]);

document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || $("box").open || document.body.classList.contains("out")) return;
  if (e.target === $("filter")) {
    if (e.key === "Escape" || e.key === "Enter") { if (e.key === "Escape") $("filter").value = ""; $("filter").blur(); draw(); }
    return;
  }
  const moves = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }, pages = { PageDown: 1, "]": 1, PageUp: -1, "[": -1 };
  const actions = cards.get(selected)?.actions ?? [], can = actions.map(a => a.do);
  const onButton = e.target.closest("button, summary");
  if (moves[e.key] && !e.target.closest("#shown [tabindex]")) move(moves[e.key]);
  else if (pages[e.key]) $("card").scrollBy(0, pages[e.key] * 0.9 * $("card").clientHeight);
  else if (e.key === "Tab") { // from the list alone: in the card it goes from one answer to the next, as everywhere
    if (e.shiftKey || e.target !== document.body && !e.target.closest("#list") || !next()) return;
  }
  else if (e.key === "ArrowRight" || e.key === "ArrowLeft") point(e.key === "ArrowRight" ? 1 : -1);
  else if (e.key === "Escape") back();
  else if (e.key === "/") $("filter").focus();
  else if (e.key === "?") help();
  else if (e.key === "e") $("shown").classList.toggle("roles");
  else if (e.repeat) return; // a key that is held down answers once
  else if (/^[1-9]$/.test(e.key) && (can.includes("tick") || can.includes("choose"))) act(can.includes("tick") ? "tick" : "choose", { option: Number(e.key) });
  else if (e.key === " " && can.includes("tick") && !onButton) act("tick", { option });
  else if (e.key === "Enter" && can.includes("send") && !onButton) act("send");
  else {
    const does = actions.find(a => a.key === e.key);
    if (!does) return;
    act(does.do);
  }
  e.preventDefault();
});

function back() {
  document.body.classList.remove("detail");
  if (innerWidth <= 860) { selected = ""; draw(); }
}

$("back").addEventListener("click", back);
$("help").addEventListener("click", help);
$("filter").addEventListener("input", draw);
$("notify").hidden = !window.Notification || Notification.permission !== "default";
$("notify").addEventListener("click", async () => { await Notification.requestPermission(); $("notify").hidden = true; });
addEventListener("hashchange", () => { if (location.hash) location.reload(); }); // a new link, opened where an old page is
setInterval(() => { if (key) draw(); }, 20000); // times grow older
setInterval(look, 8000);
begin();
