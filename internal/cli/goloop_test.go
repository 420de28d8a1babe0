//go:build unix

package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// goLoop is the main of a program with the AWS SDK for Go that knows its own cost, as testdata/python/aws_loop.py is
// one in Python. Its arguments are how many calls of each operation there are, and the file for the medians in ns.
func goLoop() {
	if err := goCalls(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "goloop:", err)
		os.Exit(1)
	}
}

func goCalls(number, out string) error {
	calls, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	ctx, costs := context.Background(), &goCosts{}
	settings, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(&http.Client{
		Transport: &http.Transport{DialContext: costs.dial, MaxConnsPerHost: 1},
	}), config.WithRetryMaxAttempts(1))
	if err != nil {
		return err
	}
	client, table := dynamodb.NewFromConfig(settings), "t"
	key := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "x"}}
	operations := map[string]func() error{
		"GetItem": func() error {
			_, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key})
			return err
		},
		"PutItem": func() error {
			_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: key})
			return err
		},
	}
	medians := map[string]float64{}
	for _, name := range []string{"GetItem", "PutItem"} {
		costs.begin()
		for range calls {
			if err := operations[name](); err != nil {
				return err
			}
		}
		if medians[name], err = goMedian(costs.all()); err != nil {
			return err
		}
	}
	text, err := json.Marshal(medians)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o600)
}

// goMedian leaves out as much as Plimsoll does unless it is told otherwise, and WHOLE says so.
func goMedian(costs []time.Duration) (float64, error) {
	if _, whole := os.LookupEnv("WHOLE"); !whole {
		costs = costs[len(costs)/5:]
	}
	if len(costs) == 0 {
		return 0, fmt.Errorf("no call followed another one on its connection")
	}
	slices.Sort(costs)
	return float64(costs[len(costs)/2]+costs[(len(costs)-1)/2]) / 2, nil
}

// goCosts are the times from the first bytes of an answer to the beginning of the next request on the same connection.
// There is one call at a time, but what reads and what writes are goroutines of their own.
type goCosts struct {
	mu sync.Mutex
	of []time.Duration
}

// begin forgets what was before.
func (g *goCosts) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of = nil
}

func (g *goCosts) all() []time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.of)
}

func (g *goCosts) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &hookedConn{Conn: conn, costs: g}, nil
}

type hookedConn struct {
	net.Conn
	costs    *goCosts
	received time.Time // the first bytes of the last answer; the zero time once a request was sent
}

func (c *hookedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	now := time.Now()
	c.costs.mu.Lock()
	defer c.costs.mu.Unlock()
	if n > 0 && c.received.IsZero() {
		c.received = now
	}
	return n, err
}

func (c *hookedConn) Write(p []byte) (int, error) {
	c.begins(time.Now())
	return c.Conn.Write(p)
}

// begins notes what a request took that begins now, unless it has begun already.
func (c *hookedConn) begins(now time.Time) {
	c.costs.mu.Lock()
	defer c.costs.mu.Unlock()
	if !c.received.IsZero() {
		c.costs.of = append(c.costs.of, now.Sub(c.received))
		c.received = time.Time{}
	}
}
