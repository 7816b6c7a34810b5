// Memory of the fake device: addresses that no host code may touch.
//
// A range of addresses is reserved without access, and another one of the same size, somewhere else, holds the bytes. A tensor's pointer
// is of the first, so a read or write through it by anything but a kernel of this device is a segmentation fault, at once and on every
// run; kernels ask for the address of the bytes. Nothing is unprotected meanwhile, so a fault on one thread is seen whatever another one
// computes.
//
// New memory is filled with a pattern that is no number: what reads it before anything wrote it shows.
// As caching allocators do, a block that is let go of goes back to the stream that it was taken on, and is handed out there again at
// once. Thread rules: any thread.
#pragma once

#include <cstddef>

#include <c10/core/Allocator.h>

#include "device/fake_streams.h"

namespace ordercheck::ranks::fake {

struct Block {
  std::byte* bytes = nullptr;
  std::size_t size = 0;
  StreamIndex stream = 0;  // that it was taken on, and goes back to
  Uses uses;
};

// Throws c10::OutOfMemoryError where the device has no room.
c10::Allocator& allocator();

// Of a storage of this device; null of one without memory.
Block* block_of(const c10::DataPtr& memory);

// The bytes behind an address of the device.
std::byte* bytes_at(const void* address);

bool is_of_device(const void* address);

}  // namespace ordercheck::ranks::fake
