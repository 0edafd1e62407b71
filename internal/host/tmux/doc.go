// Package tmux reads and types on one tmux server. It is the only place that runs the tmux program,
// and it knows nothing of agents.
//
// # One process a look
//
// All questions to a server at one time go into one tmux process. A poll asks its gate: one row that says when each window drew last, and
// which properties of each pane may have changed without output; the latter at each fourth poll, as long as nothing draws. If that agrees
// with the listing before, nothing is listed, and only panes that have drawn are captured. One row about all panes costs the server a
// fraction of a row for each: every printed row is a message of its own, and each message that the server reads costs it a look at all of
// its open files (tmux's imsg, up to 3.8).
//
// The caller may have panes spared whose agent tells itself what matters (Capture.Spared). Such a pane is captured with each fourth gate, and
// by the first poll that finds that it has drawn nothing for a second: a question of which the agent told nothing is late by no more.
//
// Captures are asked for by a script on standard input (`source-file -`). A script, unlike arguments, has no size limit (16 KiB in tmux
// 3.3a, 1000 arguments in 3.7), stays out of the process table, and goes on after a command that failed, so that one pane that has just
// gone does not hide the others. The output is cut at a random marker, which no screen, title or path can contain.
//
// CPU of client and server for one look at 50 panes of 120x40, tmux 3.3a, on a busy machine: 146 ms with a capture-pane
// process per pane; this way 4 ms when the panes are still, 5 ms when a fifth of them changed, 14 ms when
// all did (BenchmarkPoll).
//
// # Why not plain text first
//
// A capture with -e costs the server 48 µs, one without 26 µs (200 panes of 120x40 with Claude Code at work, tmux 3.3a). To ask for plain
// text, and for -e where that changed, saves 22 µs for each pane that draws and needs no more. It takes a second process for the others, which
// costs 1.4 ms: as much as 65 panes save. So what has drawn is captured with -e at once.
//
// # Why not control mode
//
// A lasting control mode client (`tmux -C attach`) reads 50 panes in 3 ms without a process at all.
// But it is a client: people see it in list-clients and in session_attached, it keeps a server alive
// after its last session of use, detach-on-destroy can put it into a person's session, without
// no-output it is sent all that the panes print (280 KB/s from 20 busy ones), and capture-pane leaks
// 4.8 KB a call in it before tmux 3.6. One process a look costs 1.5 ms and has no such effect.
//
// Nobody sees a client that is attached to nothing, and it has no such effect either. So a Watch asks for several looks in one script, with
// `run-shell -d` between them, which waits in the server and starts nothing. That saves a quarter of a poll of 200 still panes. It
// leaves nothing behind in 3.3a, 3.4, 3.5a, 3.6b and 3.7c; 3.2a never frees some 90 bytes a look, so it is asked for one look at a time.
// A server whose last session has ended waits for such a client, which therefore ends with the first look that lists no pane. A chain
// of `source-file PIPE` would take scripts that are not known beforehand, but a server never frees the glob of each path (48 bytes in
// tmux 3.3a, 200 in 3.2a).
//
// # Where the server says which pane draws
//
// From 3.8 on a client can wait for the event pane-activity (`wait-for -E`). One waits once a poll has found all known panes still, and the
// pane that it names is looked at before the next poll. The polls go on: a pane that is resized, or in a mode, fires no such event.
//
// # What is never done
//
// Every call has -N (tmux 3.2): a server is never started. Every call has a deadline, because a client
// of a server that hangs waits for ever. Targets are pane ids, since tmux matches names by prefix. No
// variable of this program but PATH, HOME and the loader's reaches a tmux process.
package tmux
