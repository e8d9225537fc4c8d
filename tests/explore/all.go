//go:build unix

package main

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// exploreAll explores the scenarios whose names match, as many at a time as there are processors.
func exploreAll(o *options, only string, deep bool, bound int) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	todo := make(chan *scenario)
	go func() {
		for _, s := range scenarios(deep) {
			if match.MatchString(s.name) {
				if bound >= -1 {
					s.bound = bound
				}
				todo <- s
			}
		}
		close(todo)
	}()
	var wg sync.WaitGroup
	var mu sync.Mutex
	began := time.Now()
	good, bad := 0, 0
	b := newBook()
	for range runtime.NumCPU() {
		wg.Go(func() {
			a, err := newActor(o, b)
			if err != nil {
				fmt.Println(err)
				return
			}
			defer a.close()
			for s := range todo {
				r, err := explore(o, s, a)
				mu.Lock()
				if err != nil {
					fmt.Println(err)
				} else {
					r.print()
				}
				if err != nil || r.violation != "" {
					bad++
				} else {
					good++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d explored, %d failed, %.0f s\n", good, bad, time.Since(began).Seconds())
	if bad > 0 || good == 0 {
		return fmt.Errorf("%d scenarios failed", bad)
	}
	return nil
}

func (r *report) print() {
	fmt.Printf("%-18s %7d schedules (%d to the end, %d with real commands), %7d states, %7d pruned, %6d steps played (%d again), %5.1f s\n",
		r.name, r.runs, r.ends, r.compared, r.states, r.pruned, r.played, r.again, r.took.Seconds())
	if r.violation != "" {
		fmt.Printf("VIOLATION: %s\n%sreplay: make explore SCHEDULE=%s\n", r.violation, list(r.steps), r.replay)
	}
}

// list numbers the steps.
func list(steps []string) (text string) {
	n := 0
	for _, s := range steps {
		if !strings.HasPrefix(s, " ") {
			n++
			s = fmt.Sprintf("%3d. %s", n, s)
		}
		text += s + "\n"
	}
	return text
}
