package words

import "nod/internal/reason"

// health says what is wrong with nod itself.
var health = map[reason.Kind]string{
	reason.ServerUnwatched: "nod can't watch the tmux server at {at}: {what}.",
	reason.SocketSilent:    "The tmux server at {at} runs (process {what}), but its socket does not answer; `kill -USR1 {what}` makes a new one if the file was deleted.",
	reason.OtherNodThere:   "Another nod (process {what}) watches the tmux server at {at}, so this one neither reports its panes nor types there. Stop one of the two.",
	reason.MarkUnclear: "The tmux server at {at} is marked as watched by process {what}, and nod can't find out whether that is a nod, so this one neither reports its panes " +
		"nor types there. If it is no nod, `tmux -S {at} set-option -su @nod-owner` removes the mark.",
	reason.ScreenFault: "nod fails on the screen of pane {pane}, and reports nothing of it until it changes: this is a fault of nod's ({what}); please report what " +
		"`nod bugreport {id}` writes.",

	reason.LookUnstored:   "A look at a pane could not be stored; nod tries again: {what}",
	reason.EffectUnstored: "The outcome of a command could not be stored; nod tries again: {what}",
	reason.WorkUndone:     "nod can't do its scheduled work; it tries again: {what}",
	reason.AnswerUnstored: "The state of an answer can't be stored; nod tries again: {what}",
	reason.RecordsUnread:  "The database can't be read: {what}",
	reason.RecordAside: "1 record of the database can't be read and was set aside ({what}): a question that is still there is asked again; restore a copy made by `nod backup` " +
		"if you miss the rest",
	reason.RecordsAside: "Records of the database can't be read and were set aside ({what}): a question that is still there is asked again; restore a copy made by `nod backup` " +
		"if you miss the rest",
}

// asking says what is wrong with a program's question.
var asking = map[reason.Kind]string{
	reason.AskTimeout:     "The timeout must be longer than nothing and at most 30 days.",
	reason.AskBlank:       "The question is blank.",
	reason.AskLong:        "The question must be plain text of at most {what} characters: put the rest into a file.",
	reason.AskFile:        "The file must be plain text of at most {what} KiB.",
	reason.AskUnanswered:  "Nothing could answer it: name options, or take words.",
	reason.AskManyOptions: "There are more than {what} options.",
	reason.AskLongOption:  "Each option must be one line of at most {what} characters.",
	reason.AskSameOption:  "The option {what} is there twice.",
	reason.AskDefault:     "The default is none of the options.",
	reason.AskCall:        "What is asked for is more than the {what} KiB that nod shows a human.",
}
