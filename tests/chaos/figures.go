//go:build linux

package main

import "fmt"

// figures counts what happened, by the names below.
type figures map[string]int

var figureNames = []string{
	"acquisitions", "  by older-style writers", "  by registry-lock run", "  in a second pid namespace", "  by fresh processes, first try",
	"hand-overs", "taken after a death", "gave up in time",
	"killed holders", "killed holders of the older style", "killed waiters and starters",
	"killed run wrappers", "killed breakers", "killed doctors", "killed children (mv, procid, rm ...)",
	"stopped for a while", "stopped in mv", "  their shell killed meanwhile",
	"dead locks broken", "  with a recycled number", "removed by doctor",
	"workers with a recycled number", "numbers recycled on purpose",
	"rounds that ended in a check",
}

func printTable(stages []string, all []figures) {
	fmt.Printf("\n%-40s", "")
	for _, stage := range stages {
		fmt.Printf("%10s", stage)
	}
	fmt.Printf("%10s\n", "all")
	for _, name := range figureNames {
		sum := 0
		fmt.Printf("%-40s", name)
		for _, f := range all {
			fmt.Printf("%10d", f[name])
			sum += f[name]
		}
		fmt.Printf("%10d\n", sum)
	}
}
