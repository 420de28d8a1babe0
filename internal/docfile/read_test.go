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
		"few":      {list: strings.Repeat("{},", 9)},
		"the most": {list: strings.Repeat("{},", mostObjects-2)},
		"too many": {strings.Repeat("{},", mostObjects-1), "100001 objects of JSON, and a thing at most 100000"},
		"in texts": {list: strings.Repeat(`"{\"{\\",`, mostObjects)},
		"behind a text": {
			strings.Repeat(`"\\",{},`, mostObjects), "has 100002 objects of JSON",
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
