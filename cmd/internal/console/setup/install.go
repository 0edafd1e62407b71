package setup

import (
	"context"
	"errors"
	"strings"

	"nod/deploy"
)

// installHooks makes the agents that are used here call nod, if the person agrees.
func (s *setup) installHooks(ctx context.Context) error {
	if s.NoHooks {
		return nil
	}
	at, err := deploy.Here(ctx)
	if err != nil {
		return err
	}
	open := s.openHooks(at)
	if len(open) == 0 {
		return nil
	}
	var names []string
	for _, h := range open {
		names = append(names, h.Agent)
	}
	s.Say("")
	s.Say("Hooks: %s can tell nod at once when an answer is needed, instead of at its next look. This adds lines to the agent's settings, keeps everything else in them, and leaves a copy; `nod hooks uninstall` takes it back.", strings.Join(names, ", "))
	yes, err := s.Confirm(ctx, "Install hooks?")
	if err != nil || !yes {
		return err
	}
	for _, h := range open {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := h.Install(s.Program); err != nil {
			s.Say("! %s: %s", h.Agent, err)
			continue
		}
		s.Say("✓ %s: %s", h.Agent, h.Path)
		if h.Note != "" {
			s.Say("  %s", h.Note)
		}
	}
	return nil
}

// openHooks returns the hooks of the agents that are used here and do not call nod yet. It prints which ones
// do, and which can't.
func (s *setup) openHooks(at deploy.Place) (open []deploy.Hook) {
	s.Progress("Asking the agents for their versions…", 0)
	var kept []string
	for _, h := range deploy.HooksInUse(at) {
		switch state, err := h.State(s.Program); {
		case err != nil:
			s.Wipe()
			s.Say("! %s gets no hooks: %s", h.Agent, err)
		case state == deploy.Installed:
			kept = append(kept, h.Agent)
		default:
			open = append(open, h)
		}
	}
	s.Wipe()
	if len(kept) > 0 {
		s.Say("✓ %s: hooks are installed", strings.Join(kept, ", "))
	}
	return open
}

// installService installs the service that keeps nod running, if the person agrees. If that is impossible,
// nod can still be started by hand.
func (s *setup) installService(ctx context.Context) error {
	if s.NoService {
		return nil
	}
	service, err := deploy.NewService(s.Program, deploy.Bot, s.ServiceEnv)
	if err != nil {
		s.Say("! no service: %s", err)
		return nil
	}
	status, err := service.Status(ctx)
	s.Say("")
	unmanaged := (*deploy.Unmanaged)(nil)
	switch {
	case errors.As(err, &unmanaged): // the last lines say what to do without one
		s.bare = true
		s.Say("! no service: systemd is not available for %s; %s", unmanaged.User, unmanaged.Remedy())
		return nil
	case err != nil:
		s.Say("! no service: %s", err)
		return nil
	}
	if status.Current && status.Enabled && status.Runs() {
		s.Say("✓ the service is installed; it was restarted, so that it has these settings")
	} else {
		s.Say("Service: nod runs in the background and starts by itself. These are the steps:")
		s.list(service.Install())
		yes, err := s.Confirm(ctx, "Install the service?")
		if err != nil || !yes {
			return err
		}
	}
	return s.take(ctx, service.Install())
}

func (s *setup) list(steps []deploy.Step) {
	for _, step := range steps {
		s.Say("  %s", step.Does)
		if step.Why != "" {
			s.Say("      %s", step.Why)
		}
	}
}

// take runs the steps. Ctrl-C lets the current step finish and starts no further one.
func (s *setup) take(ctx context.Context, steps []deploy.Step) error {
	for _, step := range steps {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Progress(step.Does+"…", 0)
		err := step.Run(context.WithoutCancel(ctx))
		s.Wipe()
		switch {
		case err == nil:
			s.Say("✓ %s", step.Does)
		case step.Spare:
			s.Say("! %s", err)
		default:
			return errors.Join(errors.New("the settings are written, and the service is not there yet"), err)
		}
	}
	return nil
}
