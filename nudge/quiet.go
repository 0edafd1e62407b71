package nudge

import "nod/internal/settings/quiet"

// Quiet are the hours in which messages come silently: one type for the settings, the chat and records.
type Quiet = quiet.Hours
