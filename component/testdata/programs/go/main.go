// Command clerk is a program in Go. It is compiled for WASI preview 1, of which an adapter makes a component of WASI 0.2.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

func main() {
	start := time.Now()
	time.Sleep(2 * time.Hour)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Printf("%s: %q\n", os.Getenv("NAME"), in.Text())
	}
	_, err := os.Open("/etc/passwd")
	fmt.Println(os.Args[1:], time.Since(start).Round(time.Second), err)
	os.Exit(3)
}
