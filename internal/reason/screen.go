package reason

// Why part of a dialog's question may be missing from its reading.
const (
	HeadUnseen      Kind = "head_unseen"
	SecondHead      Kind = "second_head"
	TextBeside      Kind = "text_beside"
	HeadGuessed     Kind = "head_guessed"
	AboveHead       Kind = "above_head"
	RowMoves        Kind = "row_moves"
	LeftOut         Kind = "left_out"
	MayBeCut        Kind = "may_be_cut"
	KeyShowsMore    Kind = "key_shows_more"
	OtherCall       Kind = "other_call"
	StrangeDialog   Kind = "strange_dialog"
	OnlyHead        Kind = "only_head"
	TallDialog      Kind = "tall_dialog"
	BoxTopUnseen    Kind = "box_top_unseen"
	BoxHidesCall    Kind = "box_hides_call"
	PanelHidesCall  Kind = "panel_hides_call"
	PanelHidesIt    Kind = "panel_hides_command"
	PanelFull       Kind = "panel_full"
	OneRowOfCall    Kind = "one_row_of_call"
	TwoCalls        Kind = "two_calls"
	ToolUnseen      Kind = "tool_unseen"
	ArgumentsUnseen Kind = "arguments_unseen"
	ArgumentsLacked Kind = "arguments_left_out"
	RowsCutOff      Kind = "rows_cut_off"
	DiffTopUnseen   Kind = "diff_top_unseen"
	DiffShort       Kind = "diff_short"
	DiffOfAnother   Kind = "diff_of_another_file"
	DiffElsewhere   Kind = "diff_elsewhere"
	TwoDiffs        Kind = "two_diffs"

	// Reasons specific to one agent, which Agent names.
	DiffRaw        Kind = "diff_raw"
	CutsLong       Kind = "cuts_long"
	CutsCommand    Kind = "cuts_command"
	CutsChange     Kind = "cuts_change"
	ScrollsRest    Kind = "scrolls_rest"
	OneRowNoChange Kind = "one_row_no_change"
	NoChange       Kind = "no_change"
	NoArguments    Kind = "no_arguments"
	OnlyBeginning  Kind = "only_beginning"
)

// Why a dialog has no key that approves.
const (
	TwoYes         Kind = "two_yes"
	NoYes          Kind = "no_yes"
	OnlyLongYes    Kind = "only_long_yes"
	MarkUnseen     Kind = "mark_unseen"
	YesUnreached   Kind = "yes_unreached"
	WordsUnderway  Kind = "words_underway"
	MarkTakesWords Kind = "mark_takes_words"
	KeysInBox      Kind = "keys_in_box"
	KeysUnsure     Kind = "keys_unsure"
	OptionsUnseen  Kind = "options_unseen"
	TypedAnswer    Kind = "typed_answer"
	NewerBelow     Kind = "newer_below"
	StrangeRows    Kind = "strange_rows"
	FocusElsewhere Kind = "focus_elsewhere"
	OtherProgram   Kind = "other_program" // What is the program's name
)
