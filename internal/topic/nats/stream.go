package nats

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// codeSubjectOverlap is JetStream's for a subject that another stream has.
const codeSubjectOverlap = 10065

// findStream finds the stream that has the subject, or makes one.
func (t *natsTopic) findStream(ctx context.Context, conn *connection) (*jetstream.StreamInfo, error) {
	js, err := jetstream.New(conn.Conn, jetstream.WithDefaultTimeout(t.dialer.timeout))
	if err != nil {
		return nil, explain(ctx, "looking for the stream", err)
	}
	name, subject := t.settings.stream, t.settings.subject
	doing := "the stream " + name
	found, err := js.Stream(ctx, name)
	if err == nil {
		info := found.CachedInfo()
		if !slices.ContainsFunc(info.Config.Subjects, func(s string) bool { return covers(s, subject) }) {
			return nil, topic.Fail(topic.CauseNotFound, true,
				"%s does not contain the subject %s: set another stream with stream=", doing, subject)
		}
		return info, nil
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, explain(ctx, doing, noJetStream(err))
	}
	return t.makeStream(ctx, js)
}

// noJetStream makes nobody's answer to JetStream's requests what it means.
func noJetStream(err error) error {
	if cause, _ := causeOf(err); cause == topic.CauseNotFound {
		return jetstream.ErrJetStreamNotEnabled.APIError()
	}
	return err
}

// makeStream makes the stream, or takes the one that has the subject under another name.
func (t *natsTopic) makeStream(ctx context.Context, js jetstream.JetStream) (*jetstream.StreamInfo, error) {
	s := t.settings
	config := jetstream.StreamConfig{
		Name: s.stream, Subjects: []string{s.subject}, Retention: jetstream.InterestPolicy,
		Discard: jetstream.DiscardNew, MaxBytes: s.maxBytes, Replicas: s.replicas,
		Storage: jetstream.FileStorage,
	}
	if s.memory {
		config.Storage = jetstream.MemoryStorage
	}
	made, err := js.CreateStream(ctx, config)
	if err == nil {
		return made.CachedInfo(), nil
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == codeSubjectOverlap {
		other, err := js.StreamNameBySubject(ctx, s.subject)
		if err != nil {
			return nil, explain(ctx, "the stream with the subject "+s.subject, err)
		}
		found, err := js.Stream(ctx, other)
		if err != nil {
			return nil, explain(ctx, "the stream "+other, err)
		}
		return found.CachedInfo(), nil
	}
	return nil, explain(ctx, "creating the stream "+s.stream, err)
}

// covers reports whether a subject of a stream, which may have wildcards, has this subject.
func covers(pattern, subject string) bool {
	patterns, words := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, p := range patterns {
		switch {
		case p == ">":
			return len(words) > i
		case i >= len(words), p != "*" && p != words[i]:
			return false
		}
	}
	return len(patterns) == len(words)
}
