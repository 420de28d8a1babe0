package ws

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// load reads the protocol.
func (s *Speech) load() (*wsproto.Protocol, error) {
	options := wsproto.Options{Env: os.LookupEnv, Open: s.inputs.Open, Table: s.Table}
	if s.Message != "" {
		return wsproto.One(s.Message, cmp.Or(s.Answers, answersInOrder), options)
	}
	if s.isPreset() {
		return wsproto.LoadPreset(s.spoken(), options)
	}
	data, err := s.read()
	if err == nil {
		return wsproto.Load(s.Protocol, data, options)
	}
	e := usage("--protocol: %w", err)
	if fault.Nearest(s.Protocol, presetNames()) != "" { // which one is said before the hint, as for each setting
		return nil, e.Hint("this is neither a preset nor a file; list the presets with plimsoll ws --protocols")
	}
	if hint := fault.HintOf(err); hint != "" {
		return nil, e.Hint("%s", hint)
	}
	return nil, e.Hint("use the name of a file or of a preset (%s)", strings.Join(presetNames(), ", "))
}

// read reads the file of the protocol, and no more of it than one can have.
func (s *Speech) read() ([]byte, error) {
	f, err := s.inputs.Open(s.Protocol)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, wsproto.MaxSize+1))
}

// spoken is the protocol, and that of the demo where none was given.
func (s *Speech) spoken() string { return cmp.Or(s.Protocol, demoProtocol) }

// isPreset reports whether the protocol is a preset: a file of such a name is written with its folder.
func (s *Speech) isPreset() bool {
	return s.Message == "" && slices.Contains(presetNames(), s.spoken())
}

// name is what a run calls what its clients speak.
func (s *Speech) name() string {
	if s.Message != "" {
		return "one message"
	}
	return s.spoken()
}

// echoed reports whether the server that fits is one that sends back what comes.
func (s *Speech) echoed() bool { return s.Message != "" || s.Protocol == echoProtocol }

// enoughIDs refuses a client that has more messages waiting than there are ids.
func enoughIDs(p *wsproto.Protocol, pipeline int) error {
	for i := range p.Messages {
		if bits := p.Messages[i].Send.IDBits(); bits > 0 && uint64(pipeline) > 1<<bits-1 {
			return usage("--pipeline %d is too large: ${id %d} has only %d values, and waiting messages need different ids",
				pipeline, bits, uint64(1)<<bits-1).Hint("lower --pipeline, or use more bits")
		}
	}
	return nil
}
