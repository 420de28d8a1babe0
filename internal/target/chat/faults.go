package chat

// kind is a fault that one message suffers.
type kind struct {
	name string // the metric's label
	flag string
	rate func(*Faults) float64
}

// none is the index that is no fault; the others index kinds.
const none = -1

// The faults, as they share out the interval of the draw. The order is part of what a seed
// means: drop comes first, so that the dropped messages stay the same when another rate
// changes.
const (
	drop = iota
	refuse
	silent
	garbage
	duplicate
	late
	reorder
)

var kinds = [...]kind{
	drop:      {"drop", "--drop-rate", func(f *Faults) float64 { return f.DropRate }},
	refuse:    {"error", "--error-rate", func(f *Faults) float64 { return f.ErrorRate }},
	silent:    {"silent", "--silent-rate", func(f *Faults) float64 { return f.SilentRate }},
	garbage:   {"garbage", "--garbage-rate", func(f *Faults) float64 { return f.GarbageRate }},
	duplicate: {"duplicate", "--duplicate-rate", func(f *Faults) float64 { return f.DuplicateRate }},
	late:      {"late", "--late-rate", func(f *Faults) float64 { return f.LateRate }},
	reorder:   {"reorder", "--reorder-rate", func(f *Faults) float64 { return f.ReorderRate }},
}
