// Package bench measures what nod costs, for `make bench`: a built `nod run`, a real tmux server whose panes draw, and Telegram
// played over HTTP. It writes docs/performance.md from what it measured. It is in no build of nod.
package bench
