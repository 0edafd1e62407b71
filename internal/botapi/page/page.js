"use strict";
// The person's side of the chat. What a message says is only ever put into the page as text
// (textContent, createTextNode): an agent's screen can hold anything.

const $ = (id) => document.getElementById(id);
const el = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const icon = (path) => {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(ns, "path"));
  svg.firstChild.setAttribute("d", path);
  return svg;
};
const arrow = "M10 8V4L3 11l7 7v-4c5 0 8 1.5 10.5 5C20 13 17 9 10 8z";
const bellOff = "M18.6 14.5C18 13 18 11.5 18 10a6 6 0 0 0-9-5.2M6 8v2c0 4-1.5 5.5-2 6.5h12.5M10 20a2 2 0 0 0 4 0M3 3l18 18";

const messages = new Map(); // id -> {data, row}
const waiting = new Map(); // tap id -> button
const early = new Map(); // tap id -> answer that overtook the tap's own response
let replyTo = 0;
let topic = 0; // the one that is open; 0: all of them
let topics = new Map(); // id -> name
let unread = 0;
let bot = "nod";

// --- text with its formatting

const tags = { bold: "b", italic: "i", underline: "u", strikethrough: "s", code: "code", pre: "pre", blockquote: "blockquote", expandable_blockquote: "blockquote", spoiler: "span", date_time: "time", text_link: "a", url: "a", bot_command: "a" };

function formatted(text, entities, into) {
  const sorted = [...(entities || [])].sort((a, b) => a.offset - b.offset || b.length - a.length);
  let next = 0;
  const fill = (parent, from, to) => {
    let pos = from;
    while (next < sorted.length && sorted[next].offset < to) {
      const e = sorted[next++];
      const begin = Math.max(e.offset, pos), end = Math.min(e.offset + e.length, to);
      if (begin >= end || !tags[e.type]) continue;
      parent.append(text.slice(pos, begin));
      const node = el(tags[e.type]);
      style(node, e, text.slice(begin, end));
      fill(node, begin, end);
      parent.append(node);
      pos = end;
      if (e.type === "pre" || e.type.endsWith("quote")) { // a block: the line break after it is its own end
        if (text[pos] === "\n") pos++;
      }
    }
    parent.append(text.slice(pos, to));
  };
  fill(into, 0, text.length);
}

function style(node, e, words) {
  if (e.type === "spoiler") {
    node.className = "spoiler";
    node.onclick = () => node.classList.add("open");
  } else if (e.type === "expandable_blockquote") {
    node.className = "fold";
    node.onclick = () => node.classList.toggle("open");
  } else if (e.type === "date_time") {
    const at = new Date(e.unix_time * 1000);
    node.dateTime = at.toISOString();
    node.title = at.toLocaleString();
    if (e.date_time_format === "r") node.className = "ago";
    else if (/^w?[dD]?[tT]?$/.test(e.date_time_format || "-")) node.dataset.clock = e.date_time_format;
  } else if (e.type === "bot_command") {
    node.href = "#";
    node.onclick = (ev) => { ev.preventDefault(); say(words, 0); };
  } else if (e.type === "text_link" || e.type === "url") {
    const link = e.url || words;
    if (/^(https?|tg):\/\//i.test(link)) Object.assign(node, { href: link, target: "_blank", rel: "noopener noreferrer" });
  }
}

// Times are shown in the reader's own zone, and how long ago something was stays true.
function tellTimes(root) {
  for (const t of root.querySelectorAll("time.ago")) {
    const s = Math.max(0, Math.round((Date.now() - new Date(t.dateTime)) / 1000));
    t.textContent = s < 5 ? "just now" : s < 60 ? s + " seconds ago" : s < 3600 ? Math.floor(s / 60) + " min ago" : Math.floor(s / 3600) + " h ago";
  }
  for (const t of root.querySelectorAll("time[data-clock]"))
    t.textContent = inZone(new Date(t.dateTime), t.dataset.clock);
}
// inZone is a time as Telegram's format of it wants: w the weekday, d and D a day, t and T a time without and with seconds.
function inZone(at, format) {
  const has = (c) => format.includes(c);
  return at.toLocaleString([], {
    weekday: has("w") ? "long" : undefined,
    day: has("d") || has("D") ? "numeric" : undefined,
    month: has("D") ? "long" : has("d") ? "short" : undefined,
    year: has("D") ? "numeric" : undefined,
    hour: has("t") || has("T") ? "2-digit" : undefined,
    minute: has("t") || has("T") ? "2-digit" : undefined,
    second: has("T") ? "2-digit" : undefined,
  });
}
setInterval(() => tellTimes(document), 1000);

// --- one message

const clock = (unix) => new Date(unix * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const day = (unix) => new Date(unix * 1000).toLocaleDateString([], { day: "numeric", month: "long" });
const short = (m) => (m.text || (m.document && m.document.file_name) || "Photo").split("\n", 1)[0];

function draw(m) {
  if (m.pins) return Object.assign(el("li", "pinned", m.name + " pinned “" + short(messages.get(m.pins)?.data || m) + "”"), { title: m.silent ? "without a sound" : "" });
  const row = el("li", "row");
  row.dataset.id = m.id;
  row.classList.toggle("mine", m.mine);
  row.classList.toggle("deleted", m.deleted);
  row.classList.toggle("wide", (m.entities || []).some((e) => e.type === "pre"));
  const hold = el("div", "hold");
  const bubble = el("div", "bubble");
  if (m.topic) bubble.append(topicOf(m.topic));
  if (m.forwarded) bubble.append(el("div", "forwarded", "Forwarded message"));
  if (m.reply) bubble.append(quote(m.reply));
  if (m.photo) bubble.append(Object.assign(el("img", "photo"), { src: "file/" + m.photo.file_id, width: m.photo.width, height: m.photo.height, alt: "Photo" }));
  if (m.document) bubble.append(file(m.document));
  const body = el("div", "body");
  if (m.deleted) body.append("deleted");
  else formatted(m.text, m.entities, body);
  tellTimes(body);
  const meta = el("span", "meta");
  if (m.silent) { meta.append(icon(bellOff)); meta.title = "sent without a sound"; }
  meta.append((m.edited && !m.deleted ? "edited " : "") + clock(m.date));
  body.append(meta);
  bubble.append(body);
  if (m.reaction) bubble.append(el("span", "reaction", m.reaction));
  hold.append(bubble);
  if (!m.deleted) {
    const answer = el("button", "answer");
    answer.title = "Reply";
    answer.setAttribute("aria-label", "Reply");
    answer.append(icon(arrow));
    answer.onclick = () => startReply(m.id);
    hold.append(answer);
    bubble.ondblclick = () => startReply(m.id);
  }
  if (m.rows && m.rows.length) hold.append(keys(m));
  row.append(hold);
  swipe(row, m.id);
  return row;
}

function topicOf(id) {
  const t = el("button", "topic", "# " + (topics.get(id) || "topic"));
  t.type = "button";
  t.onclick = () => openTopic(id);
  return t;
}

// openTopic shows what stands in one topic, and writes there; 0: all.
function openTopic(id) {
  topic = id;
  $("chat").classList.toggle("one-topic", id !== 0);
  stopReply();
  drawTopics();
  drawPins();
  for (const m of messages.values()) hide(m);
  group();
  toBottom(true);
}

// drawPins shows the newest pinned message at the top; each tap leads to the one before it.
function drawPins() {
  const pinned = [...messages.values()].map((m) => m.data).filter((m) => m.pinned && (!topic || m.topic === topic));
  const bar = $("pins");
  bar.hidden = pinned.length === 0;
  if (bar.hidden) return;
  let i = pinned.length;
  const next = () => {
    i = i > 0 ? i - 1 : pinned.length - 1;
    bar.querySelector("b").textContent = "Pinned message" + (pinned.length > 1 ? " " + (i + 1) + " of " + pinned.length : "");
    bar.querySelector("span span").textContent = short(pinned[i]);
    return pinned[i];
  };
  let shown = next();
  bar.onclick = () => { goTo(shown.id); shown = next(); };
}

// A word about a pin that was taken back leaves nothing behind, as in Telegram's apps.
const hide = (m) => { m.row.hidden = topic !== 0 && m.data.topic !== topic || m.data.pins !== 0 && m.data.deleted; };

function drawTopics() {
  const bar = $("topics");
  bar.hidden = topics.size === 0;
  bar.replaceChildren(...[[0, "All"], ...topics].map(([id, name]) => {
    const tab = el("button", "", name);
    tab.type = "button";
    tab.setAttribute("aria-pressed", String(id === topic));
    tab.onclick = () => openTopic(id);
    return tab;
  }));
}

function quote(id) {
  const q = el("button", "reply");
  q.type = "button";
  const to = messages.get(id);
  q.append(el("b", "", to ? (to.data.mine ? "You" : bot) : "Message"), el("span", "", to ? short(to.data) : "not found"));
  q.onclick = () => goTo(id);
  return q;
}

function goTo(id) {
  const there = messages.get(id);
  if (!there) return;
  there.row.scrollIntoView({ behavior: "smooth", block: "center" });
  there.row.classList.remove("flash");
  requestAnimationFrame(() => there.row.classList.add("flash"));
}

function file(d) {
  const a = Object.assign(el("a", "file"), { href: "file/" + d.file_id, download: d.file_name || "file" });
  const round = el("i");
  round.append(icon("M12 4v12M6 11l6 6 6-6M5 20h14"));
  const text = el("div");
  text.append(el("b", "", d.file_name || "file"), el("small", "", d.file_size < 1024 ? d.file_size + " B" : (d.file_size / 1024).toFixed(1) + " KB"));
  a.append(round, text);
  return a;
}

function keys(m) {
  const box = el("div", "keys");
  for (const r of m.rows) {
    const line = el("div");
    for (const b of r) line.append(key(m.id, b));
    box.append(line);
  }
  return box;
}

function key(id, b) {
  const k = el("button", "key " + (b.style || ""), b.text);
  k.type = "button";
  if (b.url) {
    k.append(el("span", "corner", "↗"));
    k.onclick = () => window.open(b.url, "_blank", "noopener,noreferrer");
  } else if (b.copy_text) {
    k.append(el("span", "corner", "⧉"));
    k.onclick = () => navigator.clipboard.writeText(b.copy_text.text).then(() => toast("Copied"));
  } else {
    k.onclick = () => tap(id, b.callback_data, k);
  }
  return k;
}

// --- what the person does

async function post(path, body) {
  const r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!r.ok) throw new Error(await r.text());
  return r.json();
}

async function tap(id, data, k) {
  if (k.classList.contains("busy")) return;
  k.classList.add("busy");
  try {
    const { query } = await post("tap", { message: id, data });
    waiting.set(query, k);
    if (early.has(query)) answered(query, early.get(query));
    setTimeout(() => { if (waiting.delete(query)) k.classList.remove("busy"); }, 15000);
  } catch (e) {
    k.classList.remove("busy");
    toast(e.message);
  }
}

async function say(text, reply) {
  try {
    await post("say", { text, reply, topic });
    toBottom(true);
    return true;
  } catch (e) {
    toast(e.message);
    return false;
  }
}

function startReply(id) {
  const m = messages.get(id);
  if (!m) return;
  replyTo = id;
  $("reply-name").textContent = m.data.mine ? "You" : bot;
  $("reply-text").textContent = short(m.data);
  $("replying").hidden = false;
  $("text").focus();
}
function stopReply() {
  replyTo = 0;
  $("replying").hidden = true;
}

function swipe(row, id) {
  let x = 0, y = 0, on = false, by = 0;
  row.addEventListener("touchstart", (e) => { ({ clientX: x, clientY: y } = e.touches[0]); on = !e.target.closest("pre"); by = 0; }, { passive: true });
  row.addEventListener("touchmove", (e) => {
    const t = e.touches[0];
    if (!on) return;
    if (Math.abs(t.clientY - y) > 24) { on = false; by = 0; }
    else by = Math.min(0, Math.max(-72, t.clientX - x));
    row.classList.add("swiping");
    row.style.transform = by ? `translateX(${by}px)` : "";
  }, { passive: true });
  const end = () => {
    row.classList.remove("swiping");
    row.style.transform = "";
    if (by < -46) startReply(id);
    by = 0;
  };
  row.addEventListener("touchend", end);
  row.addEventListener("touchcancel", () => { by = 0; end(); });
}

// --- what happens in the chat

const scroll = $("scroll");
const atBottom = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
function toBottom(force) {
  if (force) unread = 0;
  requestAnimationFrame(() => { scroll.scrollTop = scroll.scrollHeight; });
  showDown();
}
function showDown() {
  if (atBottom()) unread = 0;
  $("down").hidden = atBottom();
  $("unread").textContent = unread || "";
}

function group() {
  let before = null, above = null, lastDay = "";
  for (const d of document.querySelectorAll(".day")) d.remove();
  for (const row of document.querySelectorAll(".row:not([hidden])")) {
    const m = messages.get(+row.dataset.id).data;
    const d = day(m.date);
    if (d !== lastDay) { row.before(el("li", "day", d)); lastDay = d; before = null; }
    row.classList.toggle("first", !before || before.mine !== m.mine);
    row.classList.add("last");
    if (before && before.mine === m.mine) above.classList.remove("last");
    before = m;
    above = row;
  }
}

function show(m, first) {
  const have = messages.get(m.id);
  const row = draw(m);
  messages.set(m.id, { data: m, row });
  hide(messages.get(m.id));
  if (have) {
    have.row.replaceWith(row);
    const fold = have.row.querySelector(".fold.open");
    if (fold && row.querySelector(".fold")) row.querySelector(".fold").classList.add("open");
    return;
  }
  if (!first) {
    row.classList.add("new");
    if (!m.mine && !atBottom()) unread++;
    if (m.asks) setTimeout(() => startReply(m.id));
  }
  $("chat").append(row);
}

let typing = 0, toasting = 0, known = false;
function toast(text) {
  if (!text) return;
  $("toast").textContent = text;
  $("toast").classList.add("on");
  clearTimeout(toasting);
  toasting = setTimeout(() => $("toast").classList.remove("on"), 1800 + 45 * text.length);
}

function answered(id, t) {
  const k = waiting.get(id);
  if (!k) {
    early.set(id, t);
    return;
  }
  waiting.delete(id);
  early.delete(id);
  k.classList.remove("busy");
  if (t.alert && t.text) {
    $("alert").firstElementChild.textContent = t.text;
    $("alert").showModal();
  } else {
    toast(t.text);
  }
}

function status(text, cls) {
  $("status").textContent = text;
  $("status").className = cls || "";
}

// The button beside the input shows what the bot takes, as Telegram's apps do.
let menu = "";
function drawMenu(commands) {
  const now = JSON.stringify(commands);
  if (now === menu) return;
  menu = now;
  $("menu").hidden = commands.length === 0;
  $("commands").replaceChildren(...commands.map((c) => {
    const row = el("button");
    row.type = "button";
    row.append(el("b", "", "/" + c.command), el("span", "", c.description));
    row.onclick = () => { openMenu(false); say("/" + c.command, 0); };
    return row;
  }));
}
function openMenu(open) {
  $("commands").hidden = !open;
  $("menu").setAttribute("aria-expanded", String(open));
}

function happened(n) {
  bot = n.bot.first_name;
  $("bot").textContent = document.title = bot;
  const stay = atBottom() || !known;
  const now = new Map(n.topics.map((t) => [t.id, t.name]));
  const other = JSON.stringify([...now]) !== JSON.stringify([...topics]);
  topics = now;
  if (topic && !topics.has(topic)) openTopic(0);
  else if (other) drawTopics();
  for (const m of n.messages) show(m, !known);
  if (n.messages.length) { group(); drawPins(); }
  drawMenu(n.commands);
  known = true;
  for (const [id, t] of Object.entries(n.toasts)) answered(id, t);
  if (n.typing) {
    status("typing…", "typing");
    clearTimeout(typing);
    typing = setTimeout(() => status("bot"), 5000);
  } else if (n.messages.length || !typing) {
    status("bot");
  }
  if (stay) toBottom();
  else showDown();
}

const live = new EventSource("events");
live.onmessage = (e) => happened(JSON.parse(e.data));
live.onerror = () => status("waiting for the demo…");

// --- the typing box and the rest of the frame

$("form").onsubmit = async (e) => {
  e.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  const to = replyTo;
  $("text").value = "";
  stopReply();
  if (!(await say(text, to))) $("text").value = text;
};
$("text").onkeydown = (e) => {
  if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); $("form").requestSubmit(); }
  if (e.key === "Escape") { stopReply(); openMenu(false); }
  if (e.key === "ArrowUp" && !$("text").value) {
    const theirs = [...messages.values()].filter((m) => !m.data.mine && !m.data.deleted);
    if (theirs.length) { e.preventDefault(); startReply(theirs[theirs.length - 1].data.id); }
  }
};
$("unreply").onclick = stopReply;
$("menu").onclick = () => openMenu($("commands").hidden);
$("down").onclick = () => toBottom(true);
scroll.onscroll = showDown;
new ResizeObserver(() => { if (atBottom()) toBottom(); }).observe(scroll);

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => { document.documentElement.dataset.theme = localStorage.theme || (dark.matches ? "dark" : "light"); };
dark.onchange = paint;
$("theme").onclick = () => { localStorage.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; paint(); };
paint();
