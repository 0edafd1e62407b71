package web

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// signedOut is the page's message for a visitor without a session.
func signedOut(at host) string {
	if at.public {
		return "This page is signed out. Close it, and open it again in Telegram."
	}
	return "This page is signed out. `nod web` gives a new link."
}

// login returns the key of a new session, for a link's code or, at the public host, for Telegram's proof of
// who opens the page.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Code     string `json:"code"`
		InitData string `json:"init_data"`
	}
	if !readInto(w, r, &in) {
		return
	}
	var out struct {
		Key   string `json:"key"`
		Watch bool   `json:"watch"`
	}
	now, ok := time.Now(), false
	if !hostOf(r).public {
		if out.Key, out.Watch, ok = s.sessions.spend(in.Code, now); !ok {
			http.Error(w, "This link was used, or is older than a minute. `nod web` gives a new one.", http.StatusForbidden)
			return
		}
		writeJSON(w, out)
		return
	}
	opened, err := checkInitData(in.InitData, s.cfg.Token, s.cfg.Telegram, now)
	if err == nil && s.cfg.Supervises(opened.user) {
		out.Key, ok = s.sessions.admit(opened.user, opened.name, opened.sign, opened.at.Add(initDataLasts), now)
	}
	if !ok {
		s.strangers.Do(func() {
			s.cfg.Log.Warn("somebody who is no supervisor, or whose proof is old or was used, opened the page as a Mini App; others within a minute are not logged", "user", opened.user, "error", err)
		})
		http.Error(w, "Only a supervisor's own Telegram opens this page. Close it and open it again.", http.StatusForbidden)
		return
	}
	writeJSON(w, out)
}

type signedInHandler func(w http.ResponseWriter, r *http.Request, of *session)

// signedIn passes on only requests with a session's key: a Mini App's at the public host, a link's at the
// others.
func (s *Server) signedIn(next signedInHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		of := s.session(r, r.URL.Path == "/answer")
		if of == nil {
			http.Error(w, signedOut(hostOf(r)), http.StatusUnauthorized)
			return
		}
		next(w, r, of)
	}
}

// session returns the session of a request's key; nil: the key is missing or has expired. used says that a
// person caused the request; the page sends the others by itself.
func (s *Server) session(r *http.Request, used bool) *session {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil
	}
	of := s.sessions.find(key, used, time.Now())
	switch {
	case of == nil || hostOf(r).public != (of.user != 0):
		return nil
	case of.user != 0 && !s.cfg.Supervises(of.user):
		s.sessions.drop(key)
		return nil
	}
	return of
}

// readInto reads a small JSON body, or answers with an error. Another site's form can't send such a body.
func readInto(w http.ResponseWriter, r *http.Request, into any) bool {
	if r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "The body must be application/json.", http.StatusUnsupportedMediaType)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		http.Error(w, "The body can't be read.", http.StatusBadRequest)
		return false
	}
	return true
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the browser may be gone
}
