package selector

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// number is one of JSON.
type number struct {
	text  string
	near  float64
	exact *big.Float // nil where near tells it from every other number
}

// Bounds on the digits of numbers: up to 15 of them a float64 tells apart (IEEE 754, 5.12.2), and longer ones than 100
// are none that anybody compares.
const (
	fewDigits  = 15
	mostDigits = 100
)

// readNumber reads a number of JSON. What Go takes for one beside those is no JSON, and what else is JSON no number.
func readNumber(s string) (number, bool) {
	if len(s) > mostDigits || !json.Valid([]byte(s)) {
		return number{}, false
	}
	n := number{text: s}
	var err error
	n.near, err = strconv.ParseFloat(s, 64)
	if len(s) > fewDigits || strings.ContainsAny(s, "eE") {
		n.exact, err = exactly(s)
	}
	return n, err == nil
}

// exactly has room for more bits than the longest number needs.
func exactly(s string) (*big.Float, error) {
	exact, _, err := big.ParseFloat(s, 10, 400, big.ToNearestEven)
	return exact, err
}

// compare is below, at or above 0 as n is below, at or above m.
func (n number) compare(m number) int {
	if n.exact == nil && m.exact == nil {
		switch {
		case n.near < m.near:
			return -1
		case n.near > m.near:
			return 1
		}
		return 0
	}
	return n.big().Cmp(m.big())
}

func (n number) big() *big.Float {
	if n.exact != nil {
		return n.exact
	}
	exact, _ := exactly(n.text) // which was read before
	return exact
}
