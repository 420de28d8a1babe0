package docfile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// What is short as text, and would be gigabytes in memory, is refused before it is taken apart; braces in texts are
// none of it.
func TestTooManyObjects(t *testing.T) {
	kind := Kind{Schema: "thing/1", What: "thing", MaxBytes: 8 << 20, Wrong: errors.New("not a thing")}
	for name, one := range map[string]struct {
		list string
		no   string
	}{
		"few":             {list: strings.Repeat("{},", 9)},
		"the most":        {list: strings.Repeat("{},", mostObjects-2)},
		"too many":        {strings.Repeat("{},", mostObjects-1), "100001 JSON objects; a thing can have at most 100000"},
		"a long list":     {list: "[" + strings.Repeat("0,", mostOfList-1) + "0],"},
		"too long a list": {"[" + strings.Repeat("0,", mostOfList) + "0],", "too many elements; the limit for a thing is 250000"},
		"too long a list of nothing": {
			strings.Repeat("null,", mostOfList), "too many elements",
		},
		"too long a list of lists": {strings.Repeat("[],", mostOfList), "too many elements"},
		"too many lists": {
			strings.Repeat("["+strings.Repeat("0,", 99_999)+"0],", 21), "contains JSON lists with 2100000 elements; a thing can have at most 2000000",
		},
		"long objects":    {list: `{"x":0` + strings.Repeat(`,"x":0`, mostOfList) + "},"},
		"commas in texts": {list: `"` + strings.Repeat(",", mostOfList) + `",`},
		"in texts":        {list: strings.Repeat(`"{\"{\\",`, mostObjects)},
		"behind a text": {
			strings.Repeat(`"\\",{},`, mostObjects), "contains 100002 JSON objects",
		},
	} {
		taken := false
		err := kind.Read(strings.NewReader(`{"schema":"thing/1","list":[`+one.list+`{}]}`), "x", func(data []byte) (string, error) {
			taken = true
			var of struct{ Schema string }
			return "thing/1", json.Unmarshal(data, &of)
		})
		if one.no == "" && err != nil || one.no != "" && (taken || err == nil || !strings.Contains(err.Error(), one.no)) {
			t.Errorf("%s: taken apart: %v, %v", name, taken, err)
		}
	}
}

// TestLongNumber: what is wrong is said in a line, whatever is in the document.
func TestLongNumber(t *testing.T) {
	kind := Kind{Schema: "thing/1", What: "thing", MaxBytes: 8 << 20, Wrong: errors.New("not a thing")}
	text := `{"schema":"thing/1","n":` + strings.Repeat("9", 1_000_000) + `}`
	err := kind.Read(strings.NewReader(text), "x", func(data []byte) (string, error) {
		var of struct {
			Schema string
			N      int
		}
		return "", json.Unmarshal(data, &of)
	})
	if _, is := errors.AsType[*json.UnmarshalTypeError](err); !is || len(err.Error()) > 200 ||
		!strings.Contains(err.Error(), "number 99999") {
		t.Errorf("%.300v", err)
	}
}

// TestNoJSON: what counts the parts of a text leaves it to the decoder to say that it is none.
func TestNoJSON(t *testing.T) {
	kind := Kind{Schema: "thing/1", What: "thing", MaxBytes: 8 << 20, Wrong: errors.New("not a thing")}
	for text, want := range map[string]string{
		"]]}}0," + strings.Repeat("0,", mostOfList):                 "invalid character",
		strings.Repeat("[", 9*deepest):                              "exceeded max depth",
		strings.Repeat("[", deepest) + strings.Repeat("0,", 500000): "too many elements",
		strings.Repeat("[", deepest+1):                              "exceeded max depth",
		`{"`:                                                        "unexpected end", `{"\`: "string escape code",
	} {
		err := kind.Read(strings.NewReader(text), "x", func(data []byte) (string, error) {
			var of struct{ Schema string }
			return "", json.Unmarshal(data, &of)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
}
