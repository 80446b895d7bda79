package picture

import "encoding/binary"

// The markers of JPEG that are distinguished (ITU T.81, table B.1).
const (
	baseline    = 0xc0 // beginning of a frame; 0xc1 is an extended one
	progressive = 0xc2
	restart     = 0xd0 // to 0xd7; no length follows
)

// jpegBytes returns the memory that a JPEG file of so many pixels takes while it is decoded, in bytes: one a sample, and four more for each
// coefficient of a progressive file, all of which are kept until the last scan. The file's own header has the number of samples of a pixel.
func jpegBytes(file []byte, pixels int64) int64 {
	marker, header := frame(file)
	samples, widest, highest := int64(0), int64(1), int64(1)
	if len(header) >= 6 {
		for parts := header[6:]; len(parts) >= 3; parts = parts[3:] {
			wide, high := int64(parts[1]>>4), int64(parts[1]&15)
			samples, widest, highest = samples+wide*high, max(widest, wide), max(highest, high)
		}
	}
	if samples == 0 {
		marker, samples = progressive, 4 // no more are allowed
	}
	if marker == progressive {
		samples *= 5
	}
	return pixels * samples / (widest * highest)
}

// frame finds the header of the frame behind its length, as the decoder looks for it: precision, height, width, number of parts, and three
// bytes for each.
func frame(file []byte) (marker byte, header []byte) {
	for i := 2; i+4 <= len(file); {
		marker = file[i+1]
		switch {
		case file[i] != 0xff || marker == 0xff: // what is between two segments
			i++
			continue
		case marker == 0, marker >= restart && marker < restart+8:
			i += 2
			continue
		}
		length := int(binary.BigEndian.Uint16(file[i+2:]))
		if marker >= baseline && marker <= progressive {
			return marker, file[min(i+4, len(file)):min(max(i+2+length, i+4), len(file))]
		}
		i += 2 + max(length, 2)
	}
	return progressive, nil
}
