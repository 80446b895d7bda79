// Command llmtest serves the scripted model of package llmtest until it is interrupted. It prints the base URL for an
// OpenAI client on its first line.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"xbot/internal/llm/llmtest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "host and port to listen on")
	key := flag.String("key", "", "the key that requests must have; empty: any")
	models := flag.String("models", "", "the models that there are, with commas between; empty: every model is there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := llmtest.Start(*addr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "llmtest:", err)
		os.Exit(1)
	}
	server.RequireKey(*key)
	if *models != "" {
		server.SetModels(strings.Split(*models, ",")...)
	}
	fmt.Println(server.BaseURL())
	<-ctx.Done()
	server.Stop()
}
