package botapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const token = "123456:AAHtest-token-that-is-as-long-as-real"

// answer is a response to the bot.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

func serve(s *Server, r *http.Request) answer {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		panic(fmt.Sprintf("%s: %v: %s", r.URL.Path, err, w.Body))
	}
	if !a.OK && a.Code != w.Code {
		panic(fmt.Sprintf("status %d for error_code %d", w.Code, a.Code))
	}
	return a
}

func call(s *Server, method string, params ...string) answer {
	form := url.Values{}
	for i := 0; i < len(params); i += 2 {
		form.Set(params[i], params[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, "/bot"+token+"/"+method, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return serve(s, r)
}

func result[T any](t *testing.T, a answer) T {
	t.Helper()
	var v T
	if !a.OK {
		t.Fatalf("refused: %d %s", a.Code, a.Description)
	}
	if err := json.Unmarshal(a.Result, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRefusalsInTelegramsWords(t *testing.T) {
	keyboard := func(button string) string { return `{"inline_keyboard":[[` + button + `]]}` }
	send := func(more ...string) []string {
		return append([]string{"sendMessage", "chat_id", "7", "text", "x"}, more...)
	}
	edit := func(more ...string) []string {
		return append([]string{"editMessageText", "chat_id", "7", "message_id", "2"}, more...)
	}
	tests := []struct {
		name string
		call []string
		want string // empty if the call is accepted
	}{
		{"plain", send(), ""},
		{"empty", send("text", ""), "Bad Request: message text is empty"},
		{"blank", send("text", " \n\x01 "), "Bad Request: text must be non-empty"},
		{"blank markup", send("text", "<b> </b>", "parse_mode", "HTML"), "Bad Request: text must be non-empty"},
		{"4096", send("text", strings.Repeat("ä", 4096)), ""},
		{"4097", send("text", strings.Repeat("ä", 4097)), "Bad Request: message is too long"},
		{"4096 behind markup", send("text", "<b>"+strings.Repeat("&lt;", 4096)+"</b>", "parse_mode", "html"), ""},
		{"raw", send("text", strings.Repeat("x", 32769)), "Bad Request: text is too long"},
		{"tag", send("text", "a <foo>", "parse_mode", "HTML"), `Bad Request: can't parse entities: Unsupported start tag "foo" at byte offset 2`},
		{"mode", send("parse_mode", "BBCode"), "Bad Request: unsupported parse_mode"},
		{"no chat", send("chat_id", ""), "Bad Request: chat_id is empty"},
		{"stranger", send("chat_id", "8"), "Bad Request: chat not found"},
		{"reply to nothing", send("reply_to_message_id", "99"), "Bad Request: message to be replied not found"},
		{"reply to nothing, allowed", send("reply_to_message_id", "99", "allow_sending_without_reply", "true"), ""},
		{"reply parameters", send("reply_parameters", `{"message_id":99}`, "allow_sending_without_reply", "true"), "Bad Request: message to be replied not found"},
		{"reply parameters, allowed", send("reply_parameters", `{"message_id":99,"allow_sending_without_reply":true}`), ""},
		{"null keyboard", send("reply_markup", `{"inline_keyboard":null}`), `Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays`},
		{"flat keyboard", send("reply_markup", `{"inline_keyboard":[{"text":"a"}]}`), `Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays`},
		{"empty keyboard", send("reply_markup", `{"inline_keyboard":[]}`), ""},
		{"no JSON", send("reply_markup", `{`), "Bad Request: can't parse reply keyboard markup JSON object"},
		{"no object", send("reply_markup", `[]`), "Bad Request: object expected as reply markup"},
		{"64 bytes", send("reply_markup", keyboard(`{"text":"a","callback_data":"`+strings.Repeat("x", 64)+`"}`)), ""},
		{"65 bytes", send("reply_markup", keyboard(`{"text":"a","callback_data":"`+strings.Repeat("x", 65)+`"}`)), "Bad Request: BUTTON_DATA_INVALID"},
		{"no data", send("reply_markup", keyboard(`{"text":"a","callback_data":""}`)), "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"},
		{"no label", send("reply_markup", keyboard(`{"callback_data":"a"}`)), `Bad Request: can't parse inline keyboard button: Can't find field "text"`},
		{"null URL", send("reply_markup", keyboard(`{"text":"a","url":null}`)), `Bad Request: can't parse inline keyboard button: Field "url" must be of type String`},
		{"URL", send("reply_markup", keyboard(`{"text":"a","url":"https://example.com/x"}`)), ""},
		{"local URL", send("reply_markup", keyboard(`{"text":"a","url":"http://localhost:8080"}`)), "Bad Request: inline keyboard button URL 'http://localhost:8080' is invalid: Wrong HTTP URL"},
		{"ftp URL", send("reply_markup", keyboard(`{"text":"a","url":"ftp://example.com"}`)), "Bad Request: inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol"},
		{"not UTF-8", send("text", "\xff"), "Bad Request: strings must be encoded in UTF-8"},

		{"edit", edit("text", "other"), ""},
		{"edit to the same", edit("text", "hello", "reply_markup", keyboard(`{"text":"a","callback_data":"b"}`)), "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"},
		{"edit too long", edit("text", strings.Repeat("x", 4097)), "Bad Request: MESSAGE_TOO_LONG"},
		{"edit nothing", edit("text", "x", "message_id", "99"), "Bad Request: message to edit not found"},
		{"edit a person's", edit("text", "x", "message_id", "1"), "Bad Request: message can't be edited"},
		{"edit markup to the same", []string{"editMessageReplyMarkup", "chat_id", "7", "message_id", "2", "reply_markup", keyboard(`{"text":"a","callback_data":"b"}`)}, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"},
		{"delete nothing", []string{"deleteMessage", "chat_id", "7", "message_id", "99"}, "Bad Request: message to delete not found"},
		{"answer nothing", []string{"answerCallbackQuery", "callback_query_id", "1"}, "Bad Request: query is too old and response timeout expired or query ID is invalid"},
		{"long toast", []string{"answerCallbackQuery", "callback_query_id", "1", "text", strings.Repeat("x", 201)}, "Bad Request: MESSAGE_TOO_LONG"},
		{"action", []string{"sendChatAction", "chat_id", "7", "action", "typing"}, ""},
		{"wrong action", []string{"sendChatAction", "chat_id", "7", "action", "dancing"}, "Bad Request: wrong parameter action in request"},
		{"reaction", []string{"setMessageReaction", "chat_id", "7", "message_id", "1", "reaction", `[{"type":"emoji","emoji":"👀"}]`}, ""},
		{"no reaction of Telegram's", []string{"setMessageReaction", "chat_id", "7", "message_id", "1", "reaction", `[{"type":"emoji","emoji":"✅"}]`}, "Bad Request: REACTION_INVALID"},
		{"command", []string{"setMyCommands", "commands", `[{"command":"status","description":"how it goes"}]`}, ""},
		{"wrong command", []string{"setMyCommands", "commands", `[{"command":"Status!","description":"x"}]`}, "Bad Request: BOT_COMMAND_INVALID"},
		{"menu button", []string{"setChatMenuButton", "chat_id", "7", "menu_button", `{"type":"web_app","text":"Open","web_app":{"url":"https://nod.example.com"}}`}, ""},
		{"menu button that is asked for", []string{"getChatMenuButton", "chat_id", "7"}, ""},
		{"menu button without TLS", []string{"setChatMenuButton", "menu_button", `{"type":"web_app","text":"Open","web_app":{"url":"http://nod.example.com"}}`}, "Bad Request: menu button Web App URL 'http://nod.example.com' is invalid: Only HTTPS links are allowed"},
		{"app button without TLS", []string{"sendMessage", "chat_id", "7", "text", "x", "reply_markup", keyboard(`{"text":"a","web_app":{"url":"http://nod.example.com"}}`)}, "Bad Request: inline keyboard button Web App URL 'http://nod.example.com' is invalid: Only HTTPS links are allowed"},
		{"no document", []string{"sendDocument", "chat_id", "7"}, "Bad Request: there is no document in the request"},
		{"unknown method", []string{"sendLove"}, "Not Found: method not found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{Token: token})
			s.Person(7, "Ann").Start()
			result[Message](t, call(s, "sendMessage", "chat_id", "7", "text", "hello", "reply_markup", keyboard(`{"text":"a","callback_data":"b"}`)))
			a := call(s, tt.call[0], tt.call[1:]...)
			if a.OK != (tt.want == "") || a.Description != tt.want {
				t.Errorf("%v: got %d %q, want %q", tt.call, a.Code, a.Description, tt.want)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	s := New(Options{Token: token})
	for path, want := range map[string]int{
		"/bot" + token + "/getMe":        200,
		"/bot" + token + "/GETME":        200,
		"/bot123456:wrong/getMe":         401,
		"/botnonsense/getMe":             404,
		"/bot/getMe":                     404,
		"/elsewhere":                     404,
		"/file/bot123456:wrong/x/file_1": 401,
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", path, w.Code, want)
		}
	}
	s.Revoke()
	if a := call(s, "getMe"); a.Code != 401 || a.Description != "Unauthorized" {
		t.Errorf("after Revoke: %+v", a)
	}
}

func TestChatMustBeOpenedByThePerson(t *testing.T) {
	s := New(Options{Token: token})
	ann := s.Person(7, "Ann")
	if a := call(s, "sendMessage", "chat_id", "7", "text", "x"); a.Description != "Bad Request: chat not found" {
		t.Errorf("before Start: %+v", a)
	}
	ann.Start()
	result[Message](t, call(s, "sendMessage", "chat_id", "7", "text", "x"))
	ann.Block()
	if a := call(s, "sendMessage", "chat_id", "7", "text", "x"); a.Code != 403 || a.Description != "Forbidden: bot was blocked by the user" {
		t.Errorf("blocked: %+v", a)
	}
	ann.Say("back")
	result[Message](t, call(s, "sendMessage", "chat_id", "7", "text", "x"))
}

func TestJSONAndMultipartBodies(t *testing.T) {
	s := New(Options{Token: token})
	s.Person(7, "Ann").Start()
	r := httptest.NewRequest(http.MethodPost, "/bot"+token+"/sendMessage",
		strings.NewReader(`{"chat_id":7,"text":"x","reply_markup":{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]},"disable_notification":true}`))
	r.Header.Set("Content-Type", "application/json")
	m := result[Message](t, serve(s, r))
	if m.Markup == nil || m.Markup.Rows[0][0].Data != "b" || !s.Messages(7)[1].Silent {
		t.Errorf("JSON body: %+v", m)
	}

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("chat_id", "7")
	form.WriteField("caption", "<b>all of it</b>")
	form.WriteField("parse_mode", "HTML")
	part, _ := form.CreateFormFile("document", "screen.txt")
	io.WriteString(part, "hello")
	form.Close()
	r = httptest.NewRequest(http.MethodPost, "/bot"+token+"/sendDocument", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	m = result[Message](t, serve(s, r))
	if m.Document == nil || m.Document.Name != "screen.txt" || m.Caption != "all of it" || m.CaptionEntities[0].Type != "bold" {
		t.Fatalf("document: %+v", m)
	}
	file := result[struct {
		Path string `json:"file_path"`
	}](t, call(s, "getFile", "file_id", m.Document.FileID))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/file/bot"+token+"/"+file.Path, nil))
	if w.Body.String() != "hello" {
		t.Errorf("file: %d %q", w.Code, w.Body)
	}
}

func TestEditKeepsHistory(t *testing.T) {
	s := New(Options{Token: token})
	ann := s.Person(7, "Ann")
	ann.Start()
	m := result[Message](t, call(s, "sendMessage", "chat_id", "7", "text", "old", "reply_markup", `{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}`))
	if tap, err := ann.Tap(m.ID, "a"); err != nil {
		t.Fatal(err)
	} else {
		result[bool](t, call(s, "answerCallbackQuery", "callback_query_id", tap.ID, "text", "done"))
		if toast, err := tap.Answer(t.Context()); err != nil || toast.Text != "done" {
			t.Errorf("toast %+v, %v", toast, err)
		}
	}
	result[Message](t, call(s, "editMessageText", "chat_id", "7", "message_id", fmt.Sprint(m.ID), "text", "new"))
	got, _ := ann.Message(m.ID)
	if got.Text != "new" || got.Markup != nil || len(got.Before) != 1 || got.Before[0].Text != "old" || got.Before[0].Buttons != 1 {
		t.Errorf("after the edit: %+v", got)
	}
	if _, err := ann.Tap(m.ID, "a"); err == nil {
		t.Error("tapped a button that the edit took away")
	}
}
