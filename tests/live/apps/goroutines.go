// A library that runs goroutines whose stacks are nearly full, and checks whether anything else has
// written there.
package main

import "C"
import "sync"

const words = 12

//export Spread
func Spread(steps C.longlong) {
	var all sync.WaitGroup
	for depth := 8; depth < 72; depth++ {
		all.Add(1)
		go func(depth int) {
			defer all.Done()
			descend(int64(steps), depth)
		}(depth)
	}
	all.Wait()
}

//go:noinline
func descend(steps int64, depth int) int64 {
	var mine [words]int64
	for i := range mine {
		mine[i] = steps + int64(i)
	}
	sum := int64(1)
	if depth > 0 {
		sum = descend(steps, depth-1)
	} else {
		for i := int64(0); i < steps; i++ {
			sum = sum*6364136223846793005 + i
		}
	}
	for i := range mine {
		if mine[i] != steps+int64(i) {
			panic("somebody has written to this stack")
		}
	}
	return sum + mine[depth%words]
}

func main() {}
