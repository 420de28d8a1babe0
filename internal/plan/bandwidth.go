package plan

import "time"

// Bandwidth is the plan of a bandwidth run. A size of 0 was not given: the store decides.
type Bandwidth struct {
	URL  string `json:"url"` // as given; "" for the embedded target; without credentials
	Load Load   `json:"load"`

	Size  int64 `json:"size_bytes"`  // of each file
	Block int64 `json:"block_bytes"` // of each write and read

	PartSize       int64         `json:"part_bytes,omitempty"`
	ActiveBlocks   int           `json:"active_blocks,omitempty"` // parts of a stream in flight or in the queue; ranges read at the same time
	Streams        int           `json:"streams"`                 // files at the same time
	Repeat         int           `json:"repeat"`                  // iterations; 0 when Duration ends the run
	Duration       time.Duration `json:"repeat_for_ns,omitempty"` // no iteration begins after this
	Data           string        `json:"data"`                    // random, text or zero
	Checksum       string        `json:"checksum"`                // crc32c, sha256 or none
	PayloadSigning bool          `json:"payload_signing,omitempty"`
	Only           string        `json:"only,omitempty"`   // upload or download; "" for both
	Policy         string        `json:"policy,omitempty"` // read policies, the preferred first; "" for the default
	Flush          bool          `json:"flush,omitempty"`
	HFlush         bool          `json:"hflush,omitempty"`
	Keep           bool          `json:"keep,omitempty"`
	Rename         bool          `json:"rename,omitempty"`
	Overwrite      bool          `json:"overwrite,omitempty"` // replace a file that is there

	Retries Retries       `json:"max_retries,omitzero"` // attempts after the first, of each request
	Timeout time.Duration `json:"timeout_ns,omitempty"` // of each request; 0: the store's default

	Endpoint  string `json:"endpoint,omitempty"`
	Region    string `json:"region,omitempty"`
	PathStyle bool   `json:"path_style,omitempty"`
	XMLFile   string `json:"xml_file,omitempty"`
	TokenFile string `json:"token_file,omitempty"`
	// Properties are the names of the -D settings. Their values can be secret, and are not
	// part of the plan.
	Properties []string `json:"properties,omitempty"`

	CSV          string `json:"csv,omitempty"`
	CSVIteration bool   `json:"csv_iteration,omitempty"`
	Chart        string `json:"chart,omitempty"`
	Verbose      bool   `json:"verbose,omitempty"`
}

// The kinds of data.
const (
	DataRandom = "random"
	DataText   = "text"
	DataZero   = "zero"
)

// The checksums.
const (
	ChecksumCRC32C = "crc32c"
	ChecksumSHA256 = "sha256"
	ChecksumNone   = "none"
)

// What a run can be limited to.
const (
	OnlyUpload   = "upload"
	OnlyDownload = "download"
)

// Retries is a number of attempts after the first; a negative one leaves it to the store.
type Retries int

// IsZero reports whether the number was not given, so that a document leaves it out.
func (r Retries) IsZero() bool { return r < 0 }
