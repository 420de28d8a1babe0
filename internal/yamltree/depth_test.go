package yamltree

import (
	"fmt"
	"strings"
	"testing"
)

// TestDepth counts levels, and not how many entries stand on one line, as in JSON: 24 at most, in each way to write them.
func TestDepth(t *testing.T) {
	kind := &Sort{Name: "file", Begin: "begin it", Shared: "write it", Several: "one is one"}
	var many, objects []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":"v"`, i))
		objects = append(objects, fmt.Sprintf(`{"a":[1,{"b":%d}],"c":2}`, i))
	}
	for text, well := range map[string]bool{
		"{" + strings.Join(many, ",") + "}":                                true,
		"[" + strings.Join(objects, ",") + "]":                             true,
		`{"a":[` + strings.Join(objects, ", ") + `],"b":{"c":1}}`:          true,
		"a:\n- {" + strings.Join(many, ", ") + "}\n- [" + objects[0] + "]": true,
		strings.Repeat("[", 24) + strings.Repeat("]", 24):                  true,
		strings.Repeat("[", 25) + strings.Repeat("]", 25):                  false,
		strings.Repeat("[[],", 24) + strings.Repeat("]", 24):               false,
		strings.Repeat("[[],", 23) + "1" + strings.Repeat("]", 23):         true,
		strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat("}", 12):        true,
		strings.Repeat(`{"a":`, 13) + "1" + strings.Repeat("}", 13):        false,
		"- " + strings.Repeat("]", 100) + strings.Repeat("[", 100):         false,
		strings.Repeat("a: ", 25):                                          false,
		strings.Repeat("- ", 24) + "1":                                     true,
		strings.Repeat("- ", 25) + "1":                                     false,
	} {
		_, err := kind.Parse("f", []byte(text))
		if (err == nil) != well || err != nil && !strings.Contains(err.Error(), "nested too deeply") {
			t.Errorf("%.60q, %d bytes: %v", text, len(text), err)
		}
	}
}
