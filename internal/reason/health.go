package reason

// What is wrong with nod itself. What is the cause, or the process meant.
const (
	ServerUnwatched Kind = "server_unwatched"
	SocketSilent    Kind = "socket_silent"
	OtherNodThere   Kind = "other_nod_there"
	MarkUnclear     Kind = "mark_unclear"
	ScreenFault     Kind = "screen_fault"
	LookUnstored    Kind = "look_unstored"
	EffectUnstored  Kind = "effect_unstored"
	WorkUndone      Kind = "work_undone"
	AnswerUnstored  Kind = "answer_unstored"
	RecordsUnread   Kind = "records_unread"
	RecordAside     Kind = "record_aside"
	RecordsAside    Kind = "records_aside"
)

// Why nobody can be asked what a program asks. What is the limit, or the option meant.
const (
	AskTimeout     Kind = "ask_timeout"
	AskBlank       Kind = "ask_blank"
	AskLong        Kind = "ask_long"
	AskFile        Kind = "ask_file"
	AskUnanswered  Kind = "ask_unanswered"
	AskManyOptions Kind = "ask_many_options"
	AskLongOption  Kind = "ask_long_option"
	AskSameOption  Kind = "ask_same_option"
	AskDefault     Kind = "ask_default"
	AskCall        Kind = "ask_call"
)
