package plan

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
)

// Updates is the plan of an updates run.
type Updates struct {
	URL         string `json:"url"`                    // of the topic, as given; "" or without a host for the embedded broker
	KV          string `json:"kv,omitempty"`           // URL of the key/value server; "" for the embedded one
	PublishOnly bool   `json:"publish_only,omitempty"` // no server is asked
	Load        Load   `json:"load"`

	Batch int    `json:"batch"` // updates in a message
	Codec string `json:"codec"` // compact, json or avro
	From  string `json:"from,omitempty"`
	// What follows is about generated data, and has no meaning with From.
	KeyLength   int     `json:"key_length,omitempty"`   // bytes
	ValueLength int     `json:"value_length,omitempty"` // bytes
	HotKeys     int64   `json:"hot_keys,omitempty"`     // updates are of so many keys; 0: each of a key of its own
	Deletes     float64 `json:"deletes_share,omitempty"`
	Sets        float64 `json:"sets_share,omitempty"`
	// CommitBase is the logical commit time of the first batch. It is the wall clock's time at the
	// start, in ns, so that a later run of the same keys wins.
	CommitBase int64 `json:"commit_base,omitempty"`

	Listeners int           `json:"listeners,omitempty"`     // of the embedded server
	Receive   int           `json:"receive_batch,omitempty"` // messages that one of its receive calls returns at most
	Settle    time.Duration `json:"settle_ns,omitempty"`     // bound of the wait for what has not arrived, since the last that did

	Grid   bool   `json:"grid,omitempty"` // the run is a cell of the reference's table
	Max    bool   `json:"max,omitempty"`  // the rate was searched for
	Output Output `json:"output"`
}

// EmbeddedBroker reports whether the topic is at the embedded server's own broker.
func (u *Updates) EmbeddedBroker() bool {
	if u.URL == "" {
		return u.KV == ""
	}
	parsed, err := url.Parse(u.URL)
	return err == nil && strings.HasPrefix(parsed.Scheme, "nats") && parsed.Host == ""
}

// EmbeddedServer reports whether a key/value server is started for the run.
func (u *Updates) EmbeddedServer() bool { return u.KV == "" && !u.PublishOnly }

// Generated reports whether the data is generated, and not read from files.
func (u *Updates) Generated() bool { return u.From == "" }

// MarshalJSON writes the plan with the URLs redacted, so that no secret reaches a document.
func (u Updates) MarshalJSON() ([]byte, error) {
	type plain Updates // without this method
	p := plain(u)
	p.URL, p.KV = RedactURL(u.URL), RedactURL(u.KV)
	return json.Marshal(p)
}
