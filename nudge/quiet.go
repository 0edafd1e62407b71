package nudge

import "nod/internal/settings/quiet"

// Quiet are the hours without sound. Settings, chat and records share the type.
type Quiet = quiet.Hours
