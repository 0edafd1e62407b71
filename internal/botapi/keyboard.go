package botapi

import (
	"encoding/json"
	"net/url"
	"slices"
)

// maxButtons is the largest number of buttons of a message.
const maxButtons = 100

// markup parses reply_markup. special says that it is a reply keyboard or ForceReply instead of inline
// buttons; a message with that can't be edited. A nil markup without an error means no buttons.
func (r *request) markup() (m *Markup, special bool, err error) {
	raw := r.params["reply_markup"]
	if raw == "" {
		return nil, false, nil
	}
	if !json.Valid([]byte(raw)) {
		return nil, false, badRequest("Can't parse reply keyboard markup JSON object")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil || fields == nil {
		return nil, false, badRequest("Object expected as reply markup")
	}
	rows, inline := fields["inline_keyboard"]
	if !inline {
		_, keyboard := fields["keyboard"]
		_, force := fields["force_reply"]
		return nil, keyboard || force, nil
	}
	m, err = readRows(rows, r.version)
	var force bool
	if raw, ok := fields["force_reply"]; ok && err == nil {
		_ = json.Unmarshal(raw, &force) // anything but true is false
	}
	switch {
	case !force:
	case m == nil: // without buttons it is a ForceReply and not an inline keyboard
		return nil, true, nil
	case r.version >= withForcedReply:
		m.ForceReply = true
	}
	return m, false, err
}

func readRows(raw json.RawMessage, version int) (*Markup, error) {
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || rows == nil { // null is no array: Go's nil slice marshals to it
		return nil, badRequest("Field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays")
	}
	m := &Markup{}
	count := 0
	for _, row := range rows {
		var cells []json.RawMessage
		if json.Unmarshal(row, &cells) != nil || cells == nil {
			return nil, badRequest("Field \"inline_keyboard\" of the InlineKeyboardMarkup must be an Array of Arrays")
		}
		var buttons []Button
		for _, cell := range cells {
			b, err := readButton(cell, version)
			if err != nil {
				return nil, badRequest("Can't parse inline keyboard button: %v", err)
			}
			if b.Text != "" { // Telegram leaves out a button without a label
				buttons = append(buttons, b)
			}
		}
		if count += len(buttons); len(buttons) > 0 {
			m.Rows = append(m.Rows, buttons)
		}
	}
	if count > maxButtons {
		return nil, badRequest("Reply markup is too long")
	}
	if len(m.Rows) == 0 {
		return nil, nil
	}
	return m, m.check()
}

func readButton(raw json.RawMessage, version int) (Button, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return Button{}, sayf("InlineKeyboardButton must be an Object")
	}
	var b Button
	texts := map[string]*string{"text": &b.Text, "callback_data": &b.Data, "url": &b.URL}
	if version >= withStyles {
		texts["style"] = &b.Style
	}
	for name, into := range texts {
		value, ok := fields[name]
		if !ok {
			if name == "text" {
				return Button{}, sayf("Can't find field \"text\"")
			}
			continue
		}
		if string(value) == "null" || json.Unmarshal(value, into) != nil {
			return Button{}, sayf("Field \"%s\" must be of type String", name)
		}
	}
	if !slices.Contains([]string{"", "success", "danger", "primary"}, b.Style) {
		return Button{}, sayf("invalid button style specified")
	}
	if raw, ok := fields["copy_text"]; ok {
		b.Copy = &Copy{}
		if string(raw) == "null" || json.Unmarshal(raw, b.Copy) != nil {
			return Button{}, sayf("Field \"copy_text\" must be of type Object")
		}
	}
	if raw, ok := fields["web_app"]; ok {
		b.App = &App{}
		if string(raw) == "null" || json.Unmarshal(raw, b.App) != nil {
			return Button{}, sayf("Field \"web_app\" must be of type Object")
		}
	}
	if b.Data == "" && b.URL == "" && b.Copy == nil && b.App == nil {
		return Button{}, sayf("Text buttons are unallowed in the inline keyboard")
	}
	return b, nil
}

// opensApps reports whether a button opens a page within Telegram, which is allowed only in private chats.
func (m *Markup) opensApps() bool {
	return m != nil && slices.ContainsFunc(m.Rows, func(row []Button) bool {
		return slices.ContainsFunc(row, func(b Button) bool { return b.App != nil })
	})
}

// checkApp says why an address is invalid for a Mini App; empty if it is valid.
func checkApp(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" {
		return "Only HTTPS links are allowed"
	}
	return checkURL(address)
}

// check refuses markup that only the data centre refuses, after the JSON was accepted.
func (m *Markup) check() error {
	for _, row := range m.Rows {
		for _, b := range row {
			if len(b.Data) > 64 {
				return badRequest("BUTTON_DATA_INVALID")
			}
			if b.URL != "" {
				if why := checkURL(b.URL); why != "" {
					return badRequest("Inline keyboard button URL '%s' is invalid: %s", b.URL, why)
				}
			}
			if b.App != nil {
				if why := checkApp(b.App.URL); why != "" {
					return badRequest("inline keyboard button Web App URL '%s' is invalid: %s", b.App.URL, why)
				}
			}
			if b.Copy != nil && (b.Copy.Text == "" || codePoints(b.Copy.Text) > 256) {
				return badRequest("BUTTON_COPY_TEXT_INVALID")
			}
		}
	}
	return nil
}
