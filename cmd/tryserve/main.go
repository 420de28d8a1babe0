package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/internal/target/chat"
)

func main() {
	c := chat.Default()
	c.Listen = os.Args[1]
	if len(os.Args) > 2 {
		d, _ := time.ParseDuration(os.Args[2])
		c.Faults.Delay = d
	}
	s, err := chat.New(c, slog.Default())
	if err != nil {
		panic(err)
	}
	if err := s.Listen(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println(s.Serve(context.Background()))
}
