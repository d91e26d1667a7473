import { dedent } from '../../util/dedent.ts'
import type { OwnProgram } from './recipe.ts'

const goMod = (name: string): string => `module kubexm.local/${name}\n\ngo 1.21\n`

/** Holds a pod's namespaces and reaps the orphans that end up with it. */
export const pause: OwnProgram = {
  program: 'pause',
  files: {
    'go.mod': goMod('pause'),
    'main.go': dedent`
      package main

      import (
      	"os"
      	"os/signal"
      	"syscall"
      )

      func main() {
      	signals := make(chan os.Signal, 16)
      	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
      	for received := range signals {
      		if received != syscall.SIGCHLD {
      			return
      		}
      		for pid := 1; pid > 0; {
      			var err error
      			if pid, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil {
      				break
      			}
      		}
      	}
      }
    `,
  },
}

/** The lab's test workload: answers HTTP with its name, fetches a URL, resolves a name, or waits. */
export const probe: OwnProgram = {
  program: 'probe',
  files: {
    'go.mod': goMod('probe'),
    'main.go': dedent`
      package main

      import (
      	"context"
      	"fmt"
      	"io"
      	"net"
      	"net/http"
      	"os"
      	"time"
      )

      func main() {
      	verb, argument := "serve", ":8080"
      	if len(os.Args) > 1 {
      		verb = os.Args[1]
      	}
      	if len(os.Args) > 2 {
      		argument = os.Args[2]
      	}
      	if err := run(verb, argument); err != nil {
      		fmt.Fprintln(os.Stderr, err)
      		os.Exit(1)
      	}
      }

      func run(verb, argument string) error {
      	switch verb {
      	case "serve":
      		name, _ := os.Hostname()
      		http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
      			fmt.Fprintf(w, "pod=%s node=%s from=%s path=%s\\n", name, os.Getenv("NODE_NAME"), r.RemoteAddr, r.URL.Path)
      		})
      		return http.ListenAndServe(argument, nil)
      	case "get":
      		client := http.Client{Timeout: 5 * time.Second}
      		response, err := client.Get(argument)
      		if err != nil {
      			return err
      		}
      		defer response.Body.Close()
      		fmt.Println(response.StatusCode)
      		_, err = io.Copy(os.Stdout, response.Body)
      		return err
      	case "resolve":
      		deadline, cancel := context.WithTimeout(context.Background(), 5*time.Second)
      		defer cancel()
      		addresses, err := net.DefaultResolver.LookupHost(deadline, argument)
      		for _, address := range addresses {
      			fmt.Println(address)
      		}
      		return err
      	case "wait":
      		select {}
      	}
      	return fmt.Errorf("unknown verb %q", verb)
      }
    `,
  },
}

/** Serves the mirror's files; ends when its standard input does, so that it never outlives who started it. */
export const fileServer: OwnProgram = {
  program: 'file-server',
  files: {
    'go.mod': goMod('file-server'),
    'main.go': dedent`
      package main

      import (
      	"fmt"
      	"io"
      	"net"
      	"net/http"
      	"os"
      )

      // file-server ADDRESS [NAME DIRECTORY]...: each directory under its name.
      func main() {
      	listener, err := net.Listen("tcp", os.Args[1])
      	if err != nil {
      		fmt.Fprintln(os.Stderr, err)
      		os.Exit(1)
      	}
      	mux := http.NewServeMux()
      	for i := 2; i+1 < len(os.Args); i += 2 {
      		prefix := "/" + os.Args[i] + "/"
      		mux.Handle(prefix, http.StripPrefix(prefix, http.FileServer(http.Dir(os.Args[i+1]))))
      	}
      	go func() {
      		io.Copy(io.Discard, os.Stdin)
      		os.Exit(0)
      	}()
      	fmt.Println("listening on", listener.Addr())
      	fmt.Fprintln(os.Stderr, http.Serve(listener, mux))
      	os.Exit(1)
      }
    `,
  },
}
