package show

import (
	"encoding/json"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A transfer of which no file was completed has no bandwidth in the list of runs, and not one of 0.
func TestListWithoutBandwidth(t *testing.T) {
	for _, c := range []struct {
		name         string
		up, down     *rundoc.Transfer
		rate, member string
	}{
		{"both", &rundoc.Transfer{BytesPerS: 88.5e6}, &rundoc.Transfer{BytesPerS: 120e6},
			"upload 88.5 MB/s, download 120 MB/s",
			`[{"name":"upload","bytes_per_s":88500000},{"name":"download","bytes_per_s":120000000}]`},
		{"one", &rundoc.Transfer{BytesPerS: 88.5e6}, &rundoc.Transfer{}, "upload 88.5 MB/s, download –",
			`[{"name":"upload","bytes_per_s":88500000},{"name":"download"}]`},
		{"none", &rundoc.Transfer{}, &rundoc.Transfer{}, "–", `[{"name":"upload"},{"name":"download"}]`},
	} {
		var l report.Listing
		listed(&rundoc.Run{Detail: &rundoc.BandwidthDetail{Upload: c.up, Download: c.down}}, &l)
		member, err := json.Marshal(l.Own.Value)
		if l.Rate != c.rate || string(member) != c.member || err != nil {
			t.Errorf("%s: %q and %s, %v", c.name, l.Rate, member, err)
		}
	}
}
