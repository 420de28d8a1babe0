package delta

// Codec says how the rows of a message are encoded.
type Codec uint8

// The codecs.
const (
	Compact Codec = iota // the format of this package
	JSON                 // an array of objects, for people
	Avro                 // an Avro array of records, without a file's container
)

// Header begins every message.
//
// Times are nanoseconds on the monotonic clock of the publisher's machine (CLOCK_MONOTONIC),
// which all processes of that machine share. Clock tells machines apart: it is 0 when the
// clock is not known, and else the same exactly for the processes of one boot of one machine.
type Header struct {
	Codec     Codec
	Warmup    bool // the batch belongs to the warm-up: it is applied and proved, and in no figure
	Publisher Publisher
	Clock     uint64
	Sequence  uint64 // of the batch, by its publisher, from 0 and without gaps
	Count     uint32 // rows
	Scheduled int64  // intended start of the publishing
	Sent      int64  // actual start of this attempt to publish
}
