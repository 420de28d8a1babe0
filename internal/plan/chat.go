package plan

import "time"

// Chat is the plan of a chat run.
type Chat struct {
	URL    string `json:"url"` // as given; "" for the embedded target; may hold {room}
	Load   Load   `json:"load"`
	Mix    Mix    `json:"mix"`
	Dial   Dial   `json:"dial"`
	Output Output `json:"output"`
}

// Mix says what the messages are.
type Mix struct {
	Users       int     `json:"users"`                  // user ids are 1 to Users
	Rooms       int     `json:"rooms"`                  // rooms are 1 to Rooms
	Templates   int     `json:"templates"`              // different message texts
	MessageSize int     `json:"message_size,omitempty"` // characters of the text; 0: as the template has
	TextShare   float64 `json:"text_share"`             // shares sum to 1
	JoinShare   float64 `json:"join_share"`
	LeaveShare  float64 `json:"leave_share"`
}

// Dial says how a connection is made.
type Dial struct {
	Headers     Headers  `json:"headers,omitempty"`
	Origin      string   `json:"origin,omitempty"`
	Subprotocol []string `json:"subprotocols,omitempty"`
	CAFile      string   `json:"ca_file,omitempty"`
	Insecure    bool     `json:"insecure,omitempty"` // accept any certificate
}

// Output says which files a run writes beside the saved run document.
type Output struct {
	Samples string        `json:"samples,omitempty"`
	Buckets string        `json:"buckets,omitempty"`
	Chart   string        `json:"chart,omitempty"`
	Bucket  time.Duration `json:"bucket_ns"` // width of a throughput bucket
}
