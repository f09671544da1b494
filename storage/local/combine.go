package local

// nvme is the polynomial of the CRC-64/NVME, its bits reversed.
const nvme = 0x9a6c9329ac4bc9b5

// combineCRC returns the CRC-64/NVME of two contents together, of which the
// second has the given length in bytes. To a CRC, bytes that follow are a
// multiplication by x^8 each, modulo the polynomial.
func combineCRC(first, second uint64, length int64) uint64 {
	shift, square := uint64(1)<<63, uint64(1)<<55 // x^0 and x^8
	for ; length > 0; length >>= 1 {
		if length&1 != 0 {
			shift = multiplyCRC(shift, square)
		}
		square = multiplyCRC(square, square)
	}
	return multiplyCRC(first, shift) ^ second
}

// multiplyCRC multiplies two polynomials, whose highest bits are x^0.
func multiplyCRC(a, b uint64) uint64 {
	var product uint64
	for ; a != 0; a <<= 1 {
		if a>>63 != 0 {
			product ^= b
		}
		carry := b & 1
		b >>= 1
		if carry != 0 {
			b ^= nvme
		}
	}
	return product
}
