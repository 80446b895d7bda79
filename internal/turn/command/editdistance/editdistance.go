// Package editdistance computes how much two words differ, for hints such as "did you mean".
package editdistance

// longest is how many letters of a word are compared: the time grows with the product of both lengths.
const longest = 200

// Between counts the letters to add, remove, change or swap with their neighbour to make one word of another. Each letter is touched once. It
// compares the first 200 letters of longer words, and adds the difference of their lengths.
func Between(a, b string) int {
	from, to := []rune(a), []rune(b)
	rest := max(0, len(from)-longest) - max(0, len(to)-longest)
	from, to = from[:min(len(from), longest)], to[:min(len(to), longest)]
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		row[0] = i
		for j := 1; j <= len(to); j++ {
			change := 1
			if from[i-1] == to[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)] + max(rest, -rest)
}
