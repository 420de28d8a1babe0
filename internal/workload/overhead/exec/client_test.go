package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClient(t *testing.T) {
	by := func(protocol, agent string) Exchange { return Exchange{Protocol: protocol, Agent: agent} }
	trace := &Trace{Exchanges: []Exchange{
		by("HTTP/1.1", "curl/8.1 whatever"),
		by("HTTP/2.0", "aws-sdk-go-v2/1.47.7 ua/2.1 os/linux lang/go#1.26 md/GOOS#linux api/sts#1.51.8 m/E"),
		by("HTTP/2.0", "aws-sdk-go-v2/1.47.7 ua/2.1 os/linux lang/go#1.26 md/GOOS#linux api/s3#1.114.8 m/E,g"),
		by("HTTP/2.0", "aws-sdk-go-v2/1.47.7 ua/2.1 os/linux lang/go#1.26 md/GOOS#linux api/s3#1.114.8 m/E"),
		by("", ""),
	}}
	want := Client{
		SDKs:      []string{"aws-sdk-go-v2/1.47.7 lang/go#1.26", "curl/8.1"},
		Modules:   []string{"s3 1.114.8", "sts 1.51.8"},
		Protocols: []string{"HTTP/2.0", "HTTP/1.1"},
	}
	if diff := cmp.Diff(want, trace.Client()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Client{}, (&Trace{}).Client()); diff != "" {
		t.Error(diff)
	}
}

// A client that names itself anew each time fills no memory.
func TestUserAgentsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString(title)
	for i := range maxAgents + 10 {
		fmt.Fprintf(&text, "S3,HeadObject,1,%d,%d,%d,read,200,1,HTTP/1.1,a/%d,write,0,0,,,0\n", i, i, i, i)
	}
	trace, err := Read(strings.NewReader(text.String()))
	if err != nil || trace.Exchanges[maxAgents-1].Agent == "" || trace.Exchanges[maxAgents].Agent != "" {
		t.Errorf("%v", err)
	}
}
