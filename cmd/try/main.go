package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
)

func main() {
	p := plan.DefaultChat()
	p.Load.Clients = 32
	p.Load.Duration = 5 * time.Second
	p.Load.WarmupTime = time.Second
	if len(os.Args) > 2 {
		p.Load.Rate, _ = strconv.ParseFloat(os.Args[2], 64)
		p.Load.MaxWaiting = 1e6
	}
	w, err := chat.New(p, os.Args[1], "abcd1234")
	if err != nil {
		panic(err)
	}
	f, _ := os.Create("/tmp/try/cpu.prof")
	pprof.StartCPUProfile(f)
	r, err := engine.Run(context.Background(), nil, engine.Config{Load: p.Load, Workload: w, Progress: func(p engine.Progress) { fmt.Fprintln(os.Stderr, p) }})
	pprof.StopCPUProfile()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := r.Document()
	if err != nil {
		panic(err)
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		o.ResponseTime.HDR, o.ServiceTime.HDR, o.SendDelay.HDR, o.FirstAttempt.HDR = "", "", "", ""
	}
	var n int64
	for _, o := range d.Operations {
		n += o.OK
	}
	b, _ := json.MarshalIndent(d, "", " ")
	os.Stdout.Write(b)
	fmt.Fprintf(os.Stderr, "ok %d rate %.0f user/msg %.2fµs sys/msg %.2fµs\n", n, float64(n)/5, float64(d.Generator.CPUUserNS)/1e3/float64(n), float64(d.Generator.CPUSystemNS)/1e3/float64(n))
}
