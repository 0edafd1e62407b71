package botapi

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"

	"nod/internal/text/lazy"
)

// File is a file that a bot has sent.
type File struct {
	ID   string
	Name string
	Size int
	Path string // after /file/bot<token>/
	data []byte
}

func (f *File) unique() string { return "AgAD" + f.ID[len(f.ID)-6:] }

func (s *Server) getFile(r *request) (any, error) {
	f := s.files[r.params["file_id"]]
	if f == nil {
		return nil, badRequest("Invalid file_id")
	}
	return map[string]any{"file_id": f.ID, "file_unique_id": f.unique(), "file_size": f.Size, "file_path": f.Path}, nil
}

// File returns the name and content of a sent file.
func (s *Server) File(id string) (name string, data []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[id]
	if f == nil {
		return "", nil, false
	}
	return f.Name, f.data, true
}

// serveFile serves /file/bot<token>/PATH.
func (s *Server) serveFile(w http.ResponseWriter, rest string) {
	token, name, _ := strings.Cut(rest, "/")
	if err := s.authorise(token); err != nil {
		reply(w, nil, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		if f.Path == path.Clean(name) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Length", strconv.Itoa(f.Size))
			_, _ = w.Write(f.data) // the client may have gone
			return
		}
	}
	reply(w, nil, &Error{Code: http.StatusNotFound, Description: "Not Found"})
}

var commandName = lazy.MustCompile(`^[a-z0-9_]{1,32}$`)

// menu returns the key of a request's command list: there is one per scope and language.
func menu(r *request) string { return r.params["scope"] + "/" + r.params["language_code"] }

func (s *Server) setMyCommands(r *request) (any, error) {
	var list []Command
	if json.Unmarshal([]byte(r.params["commands"]), &list) != nil {
		return nil, badRequest("Can't parse commands JSON object")
	}
	if len(list) > 100 {
		return nil, badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	for i, c := range list {
		list[i].Command = strings.TrimPrefix(c.Command, "/")
		if !commandName().MatchString(list[i].Command) {
			return nil, badRequest("BOT_COMMAND_INVALID")
		}
		if n := codePoints(c.Description); n < 1 || n > 256 {
			return nil, badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	s.commands[menu(r)] = list
	s.touch()
	return true, nil
}

// menuOf returns the commands that a person sees in a private chat: those of the narrowest scope that has
// some, in their language or without one.
func (s *Server) menuOf(language string) []Command {
	for _, scope := range []string{`{"type":"all_private_chats"}`, `{"type":"default"}`, ""} {
		for _, of := range []string{language, ""} {
			if list := s.commands[scope+"/"+of]; len(list) > 0 {
				return list
			}
		}
	}
	return []Command{}
}

func (s *Server) setChatMenuButton(r *request) (any, error) {
	var menu struct {
		Type string
		Text string
		App  App `json:"web_app"`
	}
	if json.Unmarshal([]byte(r.params["menu_button"]), &menu) != nil {
		return nil, badRequest("Can't parse menu button JSON object")
	}
	if why := checkApp(menu.App.URL); menu.Type == "web_app" && (menu.Text == "" || why != "") {
		return nil, badRequest("Menu button Web App URL '%s' is invalid: %s", menu.App.URL, why)
	}
	s.menuButtons[r.params["chat_id"]] = json.RawMessage(r.params["menu_button"])
	return true, nil
}

// getChatMenuButton returns the menu button that a chat was given. Of one without, Telegram says no more than that.
func (s *Server) getChatMenuButton(r *request) (any, error) {
	if button := s.menuButtons[r.params["chat_id"]]; button != nil {
		return button, nil
	}
	return map[string]string{"type": "default"}, nil
}

func (s *Server) getMyCommands(r *request) (any, error) {
	if list := s.commands[menu(r)]; list != nil {
		return list, nil
	}
	return []Command{}, nil
}

func (s *Server) deleteMyCommands(r *request) (any, error) {
	delete(s.commands, menu(r))
	return true, nil
}

// descriptionOf returns the field of a description method ("short_description") and its length limit.
func descriptionOf(r *request) (field string, limit int) {
	if strings.Contains(strings.ToLower(r.method), "short") {
		return "short_description", 120
	}
	return "description", 512
}

func (s *Server) setMyDescription(r *request) (any, error) {
	field, limit := descriptionOf(r)
	if codePoints(r.params[field]) > limit {
		return nil, badRequest("BOT_DESCRIPTION_TOO_LONG") // Telegram's own words are unknown
	}
	s.description[field+"/"+r.params["language_code"]] = r.params[field]
	return true, nil
}

func (s *Server) getMyDescription(r *request) (any, error) {
	field, _ := descriptionOf(r)
	return map[string]string{field: s.description[field+"/"+r.params["language_code"]]}, nil
}
