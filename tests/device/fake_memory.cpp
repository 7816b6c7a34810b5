#include "device/fake_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/util/Exception.h>

namespace ordercheck::ranks::fake {
namespace {

constexpr std::size_t kDeviceBytes = std::size_t{1} << 30;
constexpr std::size_t kSmallest = 64;  // as a vector's alignment
constexpr int kUnwritten = 0xff;       // of all bytes: a NaN of every floating-point dtype

std::byte* reserve(int access) {
  void* range = mmap(nullptr, kDeviceBytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(range != MAP_FAILED, "the fake device could not reserve ", kDeviceBytes, " bytes of addresses");
  return static_cast<std::byte*>(range);
}

class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t size) override {
    const c10::Device device(c10::DeviceType::PrivateUse1, 0);
    if (size == 0) return {nullptr, device};
    Block* block = take(std::bit_ceil(std::max(size, kSmallest)));
    std::memset(block->bytes, kUnwritten, block->size);
    return {addresses_ + (block->bytes - bytes_), block, &give_back, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(bytes_ + offset(to), bytes_ + offset(from), count);
  }

  std::byte* bytes_at(const void* address) const { return bytes_ + offset(address); }
  bool holds(const void* address) const {
    return std::less_equal<>()(addresses_, static_cast<const std::byte*>(address)) && offset(address) < kDeviceBytes;
  }

 private:
  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - addresses_);
  }

  Block* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const StreamIndex stream = current_stream();
    if (Block* again = taken_again(stream, size)) return again;
    if (const auto place = cut(size)) return new_block(*place, size, stream);
    give_all_back();
    const auto place = cut(size);
    TORCH_CHECK_WITH(OutOfMemoryError, place, "the fake device is out of memory: ", size, " bytes asked for of ", kDeviceBytes);
    return new_block(*place, size, stream);
  }

  Block* new_block(std::size_t place, std::size_t size, StreamIndex stream) {
    auto block = std::make_unique<Block>();
    block->bytes = bytes_ + place;
    block->size = size;
    block->stream = stream;
    Block* const made = block.get();
    blocks_.emplace(made, std::move(block));
    return made;
  }

  Block* taken_again(StreamIndex stream, std::size_t size) {
    const auto free = free_.find({stream, size});
    if (free == free_.end() || free->second.empty()) return nullptr;
    Block* block = free->second.back();
    free->second.pop_back();
    return block;
  }

  // Where so many bytes lie that no block has.
  std::optional<std::size_t> cut(std::size_t size) {
    const auto fits = [&](const auto& gap) { return gap.second >= size; };
    const auto gap = std::find_if(gaps_.begin(), gaps_.end(), fits);
    if (gap == gaps_.end()) return std::nullopt;
    const auto [start, length] = *gap;
    gaps_.erase(gap);
    if (length > size) gaps_.emplace(start + size, length - size);
    return start;
  }

  // As a caching allocator that is short of memory gives what it holds back to the device, which waits for every stream first.
  void give_all_back() {
    wait_for_device();
    for (auto& [of, blocks] : free_) {
      for (Block* block : blocks) {
        gaps_.emplace(static_cast<std::size_t>(block->bytes - bytes_), block->size);
        blocks_.erase(block);
      }
    }
    free_.clear();
    for (auto gap = gaps_.begin(); gap != gaps_.end();) {
      const auto next = std::next(gap);
      if (next == gaps_.end() || gap->first + gap->second != next->first) {
        gap = next;
        continue;
      }
      gap->second += next->second;
      gaps_.erase(next);
    }
  }

  static void give_back(void* context);

  std::byte* const addresses_ = reserve(PROT_NONE);
  std::byte* const bytes_ = reserve(PROT_READ | PROT_WRITE);
  std::mutex mutex_;
  std::unordered_map<Block*, std::unique_ptr<Block>> blocks_;
  std::map<std::size_t, std::size_t> gaps_{{0, kDeviceBytes}};  // of no block: where each starts, and its length
  std::map<std::pair<StreamIndex, std::size_t>, std::vector<Block*>> free_;
};

// Never destroyed: tensors in statics may outlive it.
Memory& memory() {
  static auto* const once = new Memory;
  return *once;
}

void Memory::give_back(void* context) {
  auto* const block = static_cast<Block*>(context);
  forget_recorded(block->uses);
  Memory& all = memory();
  const std::lock_guard lock(all.mutex_);
  all.free_[{block->stream, block->size}].push_back(block);
}

}  // namespace

c10::Allocator& allocator() { return memory(); }

Block* block_of(const c10::DataPtr& data) { return data.get() ? static_cast<Block*>(data.get_context()) : nullptr; }

std::byte* bytes_at(const void* address) { return memory().bytes_at(address); }

bool is_of_device(const void* address) { return memory().holds(address); }

}  // namespace ordercheck::ranks::fake
