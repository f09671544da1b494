//go:build !linux

package blocks

import "unsafe"

// allocate takes memory from the heap and skips to the first aligned byte.
func allocate(size int) ([]byte, error) {
	mem := make([]byte, size+Align)
	skip := (Align - int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%Align)) % Align
	return mem[skip : skip+size : skip+size], nil
}

// free leaves the memory to the garbage collector.
func free([]byte) {}
