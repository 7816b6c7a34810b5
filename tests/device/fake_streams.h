// Streams and events of the fake device, and what is ordered by them.
//
// A kernel runs when it is launched, but counts as one that may run as late as its stream likes: what it wrote may be read by another
// stream, or by the host, only behind an event or a synchronization that orders the two. Each stream has a vector clock; a use of memory
// that is not ordered behind the last write, or a write that is not ordered behind all uses, throws and names both. So a wait that is
// missing is found on every run, whoever was faster. After Lamport, and Mattern's vector clocks; CUDA's kernels are checked in the same
// way by torch.cuda._sanitizer.
//
// Thread rules: any thread; the current stream is a thread's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ordercheck::ranks::fake {

// 0 is the default stream; the pool's follow.
using StreamIndex = int;
inline constexpr StreamIndex kStreams = 33;

StreamIndex current_stream();
StreamIndex exchange_stream(StreamIndex stream);  // returns the one before
StreamIndex next_of_pool();                       // in turn, as ATen's pools hand them out

// Of each stream, the number of its last launch that is known to have come before.
using Clock = std::vector<std::uint64_t>;

struct Use {
  StreamIndex stream = 0;
  std::uint64_t launch = 0;  // of the stream; 0: none
  const char* kernel = "";
};

// Of a block of memory, since it was last written.
struct Uses {
  Use written;
  std::map<StreamIndex, Use> read;
  std::vector<StreamIndex> recorded;  // by record_stream, until the block is let go of
};

// A kernel on the current stream. `kernel` lives as long as the process. Throws c10::Error for a use that nothing orders behind an
// earlier one; `writes` may name what `reads` does.
void launch(const char* kernel, const std::vector<Uses*>& reads, const std::vector<Uses*>& writes);

// What is behind an event: all that its stream had launched.
Clock now_on(StreamIndex stream);
void wait_on(StreamIndex stream, const Clock& event);

// The calling thread waits; what it launches from now on is behind.
void wait_on_host(const Clock& event);
// Every thread's launches are behind all that was launched before.
void wait_for_device();

// The block's reads by `stream` are known to its allocator, which hands it out again behind them.
void record(Uses& uses, StreamIndex stream);
void forget_recorded(Uses& uses);

}  // namespace ordercheck::ranks::fake
