// Package tmux reads and types on one tmux server. It is the only place that runs the tmux program,
// and it knows nothing of agents.
//
// # One process a look
//
// Whatever is asked of a server goes into one tmux process as a script on its standard input
// (`source-file -`): a listing of all panes and clients, and a capture of every pane that may have
// changed since the last one, each behind an if-shell that tmux itself decides. A script, unlike
// arguments, has no size limit (16 KiB in tmux 3.3a, 1000 arguments in 3.7), stays out of the process
// table, and goes on after a command that failed, so that one pane which has just gone does not hide
// the others. What comes back is cut at a random marker, which no screen, title or path can contain.
//
// CPU of client and server for one look at 50 panes of 120x40, tmux 3.3a: 115 ms with a capture-pane
// process per pane; this way 7 ms when the panes are still, 10 ms when a fifth of them changed, 18 ms when
// all did (BenchmarkPoll).
//
// # Why not control mode
//
// A lasting control mode client (`tmux -C attach`) reads 50 panes in 3 ms without a process at all.
// But it is a client: people see it in list-clients and in session_attached, it keeps a server alive
// after its last session of use, detach-on-destroy can put it into a person's session, without
// no-output it is sent all that the panes print (280 KB/s from 20 busy ones), and capture-pane leaks
// 4.8 KB a call in it before tmux 3.6. One process a look costs 1.5 ms and has none of that.
//
// # What is never done
//
// Every call has -N (tmux 3.2): a server is never started. Every call has a deadline, because a client
// of a server that hangs waits for ever. Targets are pane ids, since tmux matches names by prefix. No
// variable of this program but PATH, HOME and the loader's reaches a tmux process.
package tmux
