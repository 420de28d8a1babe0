package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lxzan/gws"
)

type h struct {
	gws.BuiltinEventHandler
	n    *atomic.Int64
	stop *atomic.Bool
	msg  []byte
}

func (h *h) OnMessage(c *gws.Conn, m *gws.Message) {
	m.Close()
	h.n.Add(1)
	if h.stop.Load() {
		c.WriteClose(1000, nil)
		return
	}
	c.WriteMessage(gws.OpcodeText, h.msg)
}

func main() {
	var n atomic.Int64
	var stop atomic.Bool
	msg := []byte(`{"userId":"12345","username":"user12345","message":"Good morning all, the new build is running ten minutes late today.","roomId":"12","messageType":"TEXT","messageId":"abcd1234-123456-12.123456","timestamp":"2026-11-21T20:00:00.123456Z"}`)
	var wg sync.WaitGroup
	var conns []*gws.Conn
	for i := 0; i < 32; i++ {
		c, _, err := gws.NewClient(&h{n: &n, stop: &stop, msg: msg}, &gws.ClientOption{Addr: os.Args[1]})
		if err != nil {
			panic(err)
		}
		wg.Go(c.ReadLoop)
		conns = append(conns, c)
	}
	for _, c := range conns {
		c.WriteMessage(gws.OpcodeText, msg)
	}
	time.Sleep(time.Second)
	var a, b syscall.Rusage
	syscall.Getrusage(0, &a)
	n0 := n.Load()
	t := time.Now()
	time.Sleep(5 * time.Second)
	syscall.Getrusage(0, &b)
	k := n.Load() - n0
	d := time.Since(t)
	stop.Store(true)
	wg.Wait()
	fmt.Printf("bare rate %.0f user %.2f sys %.2f µs\n", float64(k)/d.Seconds(), float64(b.Utime.Nano()-a.Utime.Nano())/1e3/float64(k), float64(b.Stime.Nano()-a.Stime.Nano())/1e3/float64(k))
}
