package nudge

// MonitorReport is news of a monitor: what matched in its output since the last, and how it ended.
type MonitorReport struct {
	Monitor string
	Count   int      // lines that matched
	Lines   []string // the last of them
	Ended   string   // how it ended; empty: it runs on
}

// newsLines is how many lines a message shows.
const newsLines = 10

// MonitorNews is what a place still has to be told of a monitor. Reports that could not be told become one.
type MonitorNews struct {
	MonitorReport
	Place   Place
	Edition int // how many reports it holds
}

// Add takes in a report.
func (n *MonitorNews) Add(r MonitorReport) {
	n.Monitor = r.Monitor
	n.Count += r.Count
	n.Lines = append(n.Lines, r.Lines...)
	n.Lines = n.Lines[max(0, len(n.Lines)-newsLines):]
	n.Ended = r.Ended
	n.Edition++
}

// Told takes out what was told, and reports whether nothing is left.
func (n *MonitorNews) Told(was MonitorNews) bool {
	if n.Edition == was.Edition {
		return true
	}
	n.Count -= was.Count
	n.Edition -= was.Edition
	n.Lines = n.Lines[max(0, len(n.Lines)-max(0, n.Count)):]
	return false
}
