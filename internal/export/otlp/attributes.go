package otlp

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/plimsoll/plimsoll/internal/onlook"
)

// Attribute is a key and its value.
type Attribute struct{ Key, Value string }

// scope names who measured.
const scope = "github.com/plimsoll/plimsoll"

// Pairs reads a list as OpenTelemetry's variables have it: key=value,key=value, the values escaped as in URLs. The
// error has no value, which may be a secret.
func Pairs(name, text string) (all []Attribute, err error) {
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		value, bad := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !found || key == "" || bad != nil {
			return nil, fmt.Errorf("environment variable %s: entry %d is not key=value", name, i+1)
		}
		all = append(all, Attribute{key, value})
	}
	return all, nil
}

// Headers are the pairs as those of a request. What could not be one, is an error.
func Headers(name string, pairs []Attribute) (http.Header, error) {
	all := http.Header{}
	for i, p := range pairs {
		if strings.ContainsAny(p.Key+p.Value, "\r\n\x00") || strings.ContainsAny(p.Key, " :\t") {
			return nil, fmt.Errorf("environment variable %s: entry %d is not a valid header", name, i+1)
		}
		all.Add(p.Key, p.Value)
	}
	return all, nil
}

// Environment is what OpenTelemetry's variables say: the headers of each push, with secrets among them, and the
// attributes of the resource, whose service is plimsoll unless they say otherwise.
func Environment(
	lookup func(string) (string, bool), version string,
) (headers http.Header, own []Attribute, err error) {
	const headersOf, attributesOf = "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"
	getenv := func(name string) string {
		if v, is := lookup(name); is {
			return v
		}
		return ""
	}
	pairs, err := Pairs(headersOf, getenv(headersOf))
	if err == nil {
		headers, err = Headers(headersOf, pairs)
	}
	if err == nil {
		pairs, err = Pairs(attributesOf, getenv(attributesOf))
	}
	if err != nil {
		return nil, nil, err
	}
	own = []Attribute{{"service.name", "plimsoll"}, {"service.version", version}}
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		pairs = append(pairs, Attribute{"service.name", name})
	}
	for _, p := range pairs {
		if i := slices.IndexFunc(own, func(a Attribute) bool { return a.Key == p.Key }); i >= 0 {
			own[i] = p
		} else {
			own = append(own, p)
		}
	}
	return headers, own, nil
}

// resourceOf is the run, as what the numbers are of.
func resourceOf(m *onlook.Moment, own []Attribute) *resource.Resource {
	r := &resource.Resource{}
	for _, a := range own {
		r.Attributes = append(r.Attributes, text(a.Key, a.Value))
	}
	r.Attributes = append(r.Attributes, text("plimsoll.run.id", m.ID), text("plimsoll.workload", m.Workload))
	if len(m.Labels) > 0 {
		list := &common.ArrayValue{}
		for _, label := range m.Labels {
			list.Values = append(list.Values, stringValue(label))
		}
		r.Attributes = append(r.Attributes, &common.KeyValue{Key: "plimsoll.labels",
			Value: &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: list}}})
	}
	if m.What != "" {
		r.Attributes = append(r.Attributes, text("plimsoll.member", m.What))
	}
	return r
}

// valid is a text as messages take it: one that is none would take all that is pushed with it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func stringValue(v string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: valid(v)}}
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: valid(key), Value: stringValue(value)}
}

func number(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

func truth(key string, value bool) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: value}}}
}

// labelled are an operation's name and its own labels.
func labelled(name string, labels map[string]string) []*common.KeyValue {
	all := []*common.KeyValue{text("plimsoll.operation", name)}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, text("plimsoll.operation."+key, labels[key]))
	}
	return all
}
