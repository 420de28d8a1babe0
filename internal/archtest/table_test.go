package archtest

// module is the path that all packages of ours begin with.
const module = "github.com/plimsoll/plimsoll"

// row says what one package may import, beside the standard library. Paths of ours are
// relative to the module, those of others name a module or a package of it.
type row struct {
	pkg    string
	ours   []string
	others []string
}

// forbiddenNames say nothing about what is in a package.
var forbiddenNames = []string{"util", "utils", "common", "helper", "helpers", "lib", "misc", "base", "shared"}

// testOnly are packages of the standard library that only tests may import, and packages
// whose name ends in "test".
var testOnly = []string{"testing", "net/http/httptest"}

const (
	maxLines     = 500 // of a file, without a reason
	maxMainLines = 25  // of a main.go
	maxColumns   = 120 // of a line, tests and generated code apart
)

// The comments that allow an exception, each followed by its reason.
const (
	longFile      = "more than 500 lines: "
	packageState  = "package state: "
	storedContext = "stored context: "
	bareGoroutine = "goroutine: "
)

// fixedResults are functions whose results nobody changes.
var fixedResults = []string{"regexp.MustCompile", "strings.NewReplacer", "crc32.MakeTable", "crc64.MakeTable"}
