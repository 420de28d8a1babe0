package show

import (
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// figures are those of the two directions. What the report shows first is the bandwidth, by the name of its direction.
func figures() []figure.Source {
	upload := direction{rundoc.OperationUpload, func(d *rundoc.BandwidthDetail) *rundoc.Transfer { return d.Upload }}
	download := direction{rundoc.OperationDownload, func(d *rundoc.BandwidthDetail) *rundoc.Transfer { return d.Download }}
	return []figure.Source{
		upload.number("", "upload bandwidth, first create to last close", figure.BytesPerSec, bandwidthOf),
		upload.number("files", "complete files per second", figure.PerSecond, filesOf),
		upload.times("block", "time of a block write", rundoc.OperationUploadBlock),
		upload.times("create", "time to create a file", rundoc.OperationCreate),
		upload.times("close", "time to close a file, including data in flight", rundoc.OperationCloseUpload),
		upload.number("close_share", "share of time spent in close", figure.Share, closeShare),
		upload.number("not_completed", "files that were started but not completed", figure.Count, notCompleted),
		download.number("", "download bandwidth, first open to last close", figure.BytesPerSec, bandwidthOf),
		download.number("files", "complete files per second", figure.PerSecond, filesOf),
		download.times("block", "time of a block read", rundoc.OperationDownloadBlock),
		download.times("open", "time to open a file", rundoc.OperationOpen),
		download.times("close", "time to close a file", rundoc.OperationCloseDownload),
		download.number("first_block", "mean time from open to the end of the first block", figure.Time,
			firstBlock),
		download.number("not_completed", "files that were started but not completed", figure.Count, notCompleted),
		download.number("reopened", "reopened files after a lost connection", figure.Count,
			reopened),
		{Name: "cpu_per_gib", Help: "the generator's CPU time per GiB transferred", Unit: figure.Time,
			Number: cpuPerGiB, Process: true},
	}
}

// cpuPerGiB is what the report has as the CPU per GiB moved.
func cpuPerGiB(run *rundoc.Run, _ map[string]string) figure.Value {
	used, moved := run.Generator.CPUUserNS+run.Generator.CPUSystemNS, 0.0
	if d := run.Bandwidth(); d != nil {
		moved = bytesMoved(d)
	}
	switch {
	case used <= 0:
		return figure.Value{Why: "the generator's CPU time is unknown"}
	case moved <= 0:
		return figure.Value{Why: "nothing was transferred"}
	}
	return figure.Value{Raw: float64(used) / moved * (1 << 30)}
}

// headline are the figures that say how well a run went.
func headline() []string { return []string{rundoc.OperationUpload, rundoc.OperationDownload, "failed"} }

// direction is one of the two transfers.
type direction struct {
	name string
	of   func(*rundoc.BandwidthDetail) *rundoc.Transfer
}

// in is the transfer of a run, or why there is none.
func (d direction) in(run *rundoc.Run) (t *rundoc.Transfer, why string) {
	if detail := run.Bandwidth(); detail != nil {
		t = d.of(detail)
	}
	if t == nil {
		return nil, "the run has no " + d.name
	}
	return t, ""
}

// number is a figure of a direction; "" is the name of its bandwidth.
func (d direction) number(name, help string, unit figure.Unit, of func(*rundoc.Transfer) figure.Value) figure.Source {
	whole := d.name
	if name != "" {
		whole += "." + name
	}
	return figure.Source{Name: whole, Help: help, Unit: unit, Counts: "files",
		Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			t, why := d.in(run)
			if why != "" {
				return figure.Value{Why: why}
			}
			return of(t)
		}}
}

// times are those of an operation of a direction, of the run's operations, which have their distribution.
func (d direction) times(name, help, operation string) figure.Source {
	return figure.Source{Name: d.name + "." + name, Help: help, Unit: figure.Time,
		Times: func(run *rundoc.Run, _ map[string]string) (all []rundoc.Summary) {
			for i := range run.Operations {
				if o := &run.Operations[i]; o.Name == operation {
					all = append(all, o.ServiceTime)
				}
			}
			return all
		}}
}

func bandwidthOf(t *rundoc.Transfer) figure.Value {
	if t.Files <= 0 || t.BytesPerS <= 0 {
		return figure.Value{Why: "no file completed"}
	}
	return figure.Value{Raw: t.BytesPerS}
}

func filesOf(t *rundoc.Transfer) figure.Value {
	switch {
	case t.Files <= 0 || t.DurationNS <= 0:
		return figure.Value{Why: "no file completed"}
	case t.Bytes > 0: // the same part of the run as the bandwidth is of
		return figure.Value{Raw: t.BytesPerS * float64(t.Files) / float64(t.Bytes)}
	}
	return figure.Value{Raw: float64(t.Files) / (float64(t.DurationNS) / 1e9)}
}

func closeShare(t *rundoc.Transfer) figure.Value {
	if t.Close.Count == 0 {
		return figure.Value{Why: "no file was closed"}
	}
	return figure.Value{Raw: t.CloseShare}
}

func firstBlock(t *rundoc.Transfer) figure.Value {
	if t.FirstBlockNS <= 0 {
		return figure.Value{Why: "no first block was read"}
	}
	return figure.Value{Raw: float64(t.FirstBlockNS)}
}

func notCompleted(t *rundoc.Transfer) figure.Value { return figure.Value{Raw: float64(t.Failed)} }

func reopened(t *rundoc.Transfer) figure.Value { return figure.Value{Raw: float64(t.Reopened)} }
