package agents

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"nod/internal/host/proc"
)

// Server is an app server of Codex (0.169.0), which runs sessions whose agents are its clients. Its messages say which calls wait for
// somebody, and which were denied.
type Server struct {
	Agent   string
	Address string // ws://HOST:PORT or unix://PATH
}

// ServerRequest is what a server asks of its clients.
type ServerRequest struct {
	Thread, Turn string
	Item         string // names what is asked for, among what the session does
	Folder       string
	Verb         string // what the text is asked for; empty: to run it
	Text         string
	Reason       string // the agent's
	// Once says that it asks whether one command is run, which Text is, whole, and nothing besides, and takes a yes for this once.
	Once bool
}

// ServerDenial is a call that the agent's own reviewer has denied.
type ServerDenial struct {
	DeniedCall
	Thread, Turn string
	// Event is what the server is given so that the call is reviewed once more.
	Event string
}

// ServerProgram begins the names of all programs that are such servers.
const ServerProgram = "codex"

// ServerOf is the server that an agent was given when it was started, by --remote; nil: none.
func ServerOf(name string, args []string) *Server {
	if address := cmp.Or(valuesAfter(args, "--remote")...); name == ServerProgram && address != "" {
		return &Server{name, address}
	}
	return nil
}

// Listening are the servers of agents that run as these processes. Environment gives the variables that one was started with.
func Listening(processes []proc.Process, environment func(pid int) []string) (servers []*Server) {
	for _, p := range processes {
		if name, _, _ := Of([]proc.Process{p}); name != ServerProgram {
			continue
		}
		address := codexListens(p.Args, func() []string { return environment(p.PID) })
		if address != "" && !slices.ContainsFunc(servers, func(o *Server) bool { return o.Address == address }) {
			servers = append(servers, &Server{ServerProgram, address})
		}
	}
	return servers
}

// MayServe reports whether an agent that was started so may be a client of that server, and whether that is sure.
func (s *Server) MayServe(name string, args []string) (may, sure bool) {
	if name != s.Agent {
		return false, false
	}
	if told := ServerOf(name, args); told != nil {
		return told.Address == s.Address, told.Address == s.Address
	}
	return strings.HasSuffix(s.Address, codexDaemon) && !slices.Contains(args, "--no-daemon"), false
}

// codexDaemon is where in Codex's folder a server listens that is given no path: the one that Codex starts for all of its sessions does so.
const codexDaemon = "/app-server-control/app-server-control.sock"

// codexListens is where codex app-server --listen listens; empty: it does not.
func codexListens(args []string, environment func() []string) string {
	address := cmp.Or(valuesAfter(args, "--listen")...)
	switch {
	case !slices.Contains(args, "app-server"):
		return ""
	case address != "unix://":
		return address
	}
	folder := ""
	for _, variable := range environment() {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "CODEX_HOME" && value != "":
			return address + filepath.Clean(value) + codexDaemon
		case name == "HOME" && value != "":
			folder = filepath.Join(value, ".codex")
		}
	}
	if folder == "" {
		return ""
	}
	return address + folder + codexDaemon
}

// codexAsked is what is read of a request. The items of the last four are asked for besides the command, or in its place.
type codexAsked struct {
	Kind, ThreadID, TurnID, ItemID, ApprovalID    string
	Command, Cwd, Reason, Message                 string
	AvailableDecisions                            []json.RawMessage
	NetworkApprovalContext, AdditionalPermissions json.RawMessage
}

// Asks reads a request of the server: one that is answered, and those that somebody at the terminal has to answer. ok is false for one that
// asks nobody for anything.
func (s *Server) Asks(method string, params []byte) (r ServerRequest, ok bool) {
	var p codexAsked
	if json.Unmarshal(params, &p) != nil || p.ThreadID == "" {
		return r, false
	}
	r = ServerRequest{Thread: p.ThreadID, Turn: p.TurnID, Item: p.ItemID + "/" + p.ApprovalID, Folder: p.Cwd, Reason: p.Reason, Text: p.Message}
	switch method {
	case "item/commandExecution/requestApproval":
		r.Text = p.Command
		if command, whole := codexCommandOf(p.Command); whole {
			r.Text = command
		}
		accepts := slices.ContainsFunc(p.AvailableDecisions, func(d json.RawMessage) bool { return string(d) == `"accept"` })
		plain := (p.Kind == "command" || p.Kind == "") && isNull(p.NetworkApprovalContext) && isNull(p.AdditionalPermissions)
		r.Once = accepts && plain && strings.TrimSpace(p.Command) != ""
	case "item/fileChange/requestApproval":
		r.Verb = "change files"
	case "item/permissions/requestApproval":
		r.Verb = "be given permissions"
	case "item/tool/requestUserInput", "mcpServer/elicitation/request":
		r.Verb = "be answered"
	default:
		return ServerRequest{}, false
	}
	return r, true
}

func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// codexReview is what the server says about a call that was reviewed.
type codexReview struct {
	ThreadID, TurnID, ReviewID string
	TargetItemID               *string
	StartedAtMs, CompletedAtMs int64
	DecisionSource             string
	Review                     struct {
		Status                       string
		RiskLevel, UserAuthorization *string
		Rationale                    string
	}
	Action struct{ Type, Source, Command, Cwd string }
}

// codexSources are the event's names of sources that a review calls by another name.
var codexSources = map[string]string{"unifiedExec": "unified_exec", "shell": "shell"}

// Reviewed reads which command the agent's own reviewer has denied; ok is false for all else. Any other call is not known whole.
func (s *Server) Reviewed(method string, params []byte) (c ServerDenial, ok bool) {
	var p codexReview
	if method != "item/autoApprovalReview/completed" || json.Unmarshal(params, &p) != nil {
		return c, false
	}
	source := codexSources[p.Action.Source]
	if p.Review.Status != "denied" || p.Action.Type != "command" || source == "" || p.ThreadID == "" || p.ReviewID == "" || p.Action.Command == "" {
		return c, false
	}
	event, _ := json.Marshal(map[string]any{
		"id": p.ReviewID, "turn_id": p.TurnID, "target_item_id": p.TargetItemID, "started_at_ms": p.StartedAtMs, "completed_at_ms": p.CompletedAtMs,
		"status": "denied", "risk_level": p.Review.RiskLevel, "user_authorization": p.Review.UserAuthorization, "rationale": p.Review.Rationale,
		"decision_source": p.DecisionSource,
		"action":          map[string]string{"type": "command", "source": source, "command": p.Action.Command, "cwd": p.Action.Cwd},
	}) // strings and numbers can't fail
	c = ServerDenial{Thread: p.ThreadID, Turn: p.TurnID, Event: string(event)}
	c.DeniedCall = DeniedCall{Text: p.Action.Command, Folder: p.Action.Cwd, Reason: p.Review.Rationale}
	if command, whole := codexCommandOf(p.Action.Command); whole {
		c.Text = command
	}
	return c, true
}
