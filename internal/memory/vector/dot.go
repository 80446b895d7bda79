package vector

// dot is the product of two embeddings of one length. Eight sums are at work, since each addition waits for the one before.
func dot(a, b []float32) float32 {
	var s [8]float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		s[4] += x[4] * y[4]
		s[5] += x[5] * y[5]
		s[6] += x[6] * y[6]
		s[7] += x[7] * y[7]
		a, b = a[8:], b[8:]
	}
	for i := range a {
		s[0] += a[i] * b[i]
	}
	return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]
}
