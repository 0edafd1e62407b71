package botapi

import "time"

// User is a person or a bot, as in the Bot API.
type User struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	Username  string `json:"username,omitempty"`
	Language  string `json:"language_code,omitempty"`
}

// Chat is the chat of a message: "private", "group", "supergroup" or "channel".
type Chat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	IsForum   bool   `json:"is_forum,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	Username  string `json:"username,omitempty"`
}

// Entity is a range of formatted text; Offset and Length count UTF-16 units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
	EmojiID  string `json:"custom_emoji_id,omitempty"`
	Unix     int64  `json:"unix_time,omitempty"`        // for a date_time
	Format   string `json:"date_time_format,omitempty"` // for a date_time
}

// Button is an inline button.
type Button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data,omitempty"`
	URL   string `json:"url,omitempty"`
	Copy  *Copy  `json:"copy_text,omitempty"`
	App   *App   `json:"web_app,omitempty"`
	Style string `json:"style,omitempty"` // "success", "danger" or "primary"; empty for the app's default
}

// Copy is the text that a button puts on the clipboard.
type Copy struct {
	Text string `json:"text"`
}

// App is a page that a button opens within Telegram.
type App struct {
	URL string `json:"url"`
}

// Markup is a message's inline keyboard, row by row.
type Markup struct {
	Rows       [][]Button `json:"inline_keyboard"`
	ForceReply bool       `json:"force_reply,omitempty"`
}

// Origin is the source of a forwarded message.
type Origin struct {
	Type string `json:"type"` // "user"
	User *User  `json:"sender_user,omitempty"`
	Date int64  `json:"date"`
}

// Document is a file in a message.
type Document struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name,omitempty"`
	Mime     string `json:"mime_type,omitempty"`
	Size     int    `json:"file_size"`
}

// Voice is a voice message.
type Voice struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Duration int    `json:"duration"` // seconds
	Size     int    `json:"file_size"`
}

// Photo is one size of a photo.
type Photo struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Size     int    `json:"file_size"`
}

// Message is a message as a bot gets it.
type Message struct {
	ID              int       `json:"message_id"`
	ThreadID        int       `json:"message_thread_id,omitempty"`
	InTopic         bool      `json:"is_topic_message,omitempty"`
	Created         *Created  `json:"forum_topic_created,omitempty"`
	From            *User     `json:"from,omitempty"`
	Chat            Chat      `json:"chat"`
	Date            int64     `json:"date"`
	EditDate        int64     `json:"edit_date,omitempty"`
	ForwardOrigin   *Origin   `json:"forward_origin,omitempty"`
	ForwardFrom     *User     `json:"forward_from,omitempty"`
	ForwardDate     int64     `json:"forward_date,omitempty"`
	ReplyTo         *Message  `json:"reply_to_message,omitempty"`
	Text            string    `json:"text,omitempty"`
	Entities        []Entity  `json:"entities,omitempty"`
	Caption         string    `json:"caption,omitempty"`
	CaptionEntities []Entity  `json:"caption_entities,omitempty"`
	Document        *Document `json:"document,omitempty"`
	Photo           []Photo   `json:"photo,omitempty"`
	Voice           *Voice    `json:"voice,omitempty"`
	PinnedMessage   *Message  `json:"pinned_message,omitempty"` // in Telegram's own message about a pin: the pinned message
	Markup          *Markup   `json:"reply_markup,omitempty"`
}

// Record is a message in a chat's history, with data that a bot never gets.
type Record struct {
	Message
	ReplyID  int       // the message that it replies to; 0 for none
	Silent   bool      // sent without a sound
	Deleted  bool      // the bot deleted it; its text is kept
	Before   []Version // the versions before each edit, oldest first
	Reaction string    // the bot's emoji on the message
	Pinned   bool      // the message is in the bar at the top of the chat

	rev     int
	special bool // has a reply keyboard or ForceReply, so it can't be edited
}

// Version is a message's content until an edit.
type Version struct {
	Text    string
	Buttons int
	Until   time.Time
}

// Button returns the message's button with that label or callback data.
func (r Record) Button(name string) (Button, bool) {
	if r.Markup == nil {
		return Button{}, false
	}
	for _, row := range r.Markup.Rows {
		for _, b := range row {
			if b.Text == name || b.Data == name {
				return b, true
			}
		}
	}
	return Button{}, false
}

// Command is one entry of a bot's command menu.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}
