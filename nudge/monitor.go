package nudge

// MonitorReport is news of a monitor: the matching lines since the last report, and how the monitor ended.
type MonitorReport struct {
	Monitor string
	Count   int      // matching lines
	Lines   []string // the last of them
	Ended   string   // how it ended; empty: it still runs
}

// newsLines is how many lines a message shows.
const newsLines = 10

// MonitorNews is the news of a monitor that a place still needs. Reports that could not be sent are merged
// into one.
type MonitorNews struct {
	MonitorReport
	Place   Place
	Edition int // how many reports it holds
}

// Add adds a report.
func (n *MonitorNews) Add(r MonitorReport) {
	n.Monitor = r.Monitor
	n.Count += r.Count
	n.Lines = append(n.Lines, r.Lines...)
	n.Lines = n.Lines[max(0, len(n.Lines)-newsLines):]
	n.Ended = r.Ended
	n.Edition++
}

// Told removes the news that was sent and reports whether nothing is left.
func (n *MonitorNews) Told(was MonitorNews) bool {
	if n.Edition == was.Edition {
		return true
	}
	n.Count -= was.Count
	n.Edition -= was.Edition
	n.Lines = n.Lines[max(0, len(n.Lines)-max(0, n.Count)):]
	return false
}
