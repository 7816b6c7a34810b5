// Defines the layout of a flight file for every program that writes or reads one. Little-endian; offsets in bytes.
//
//   header, 64 bytes     0 magic "ORDCFLT1"   8 u32 version   12 u32 ranks   16 u32 bytes of a slot   20 u32 zero
//                        24 u64 clock: counts the writes of all ranks
//   slot r               at 64 + r * 256:
//                        0 u64 lock     odd while the rank writes; 0 before its first write
//                        8 u64 end      fatal signal that this rank's thread raised, 256 if it called exit, else 0
//                        16 the entry below
//
// A writer adds 1 to the lock, stores the entry, adds 1 again. A reader that sees an odd or changed lock has read a torn entry.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace ordercheck::flight {

inline constexpr std::array<char, 8> kMagic{'O', 'R', 'D', 'C', 'F', 'L', 'T', '1'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint64_t kCalledExit = 256;
inline constexpr std::uint32_t kMostRanks = 1u << 20;

// The bytes that one write stores. Texts are NUL-terminated.
struct Entry {
  std::uint64_t ticket = 0;  // the clock at this write: larger is later, over all ranks
  std::int64_t sequence = -1;
  std::int32_t step = 0;
  std::uint8_t phase = 0;  // index in Phase; each run message lists the phases
  std::uint8_t finished = 0;
  std::array<char, 96> module{};
  std::array<char, 48> operation{};
  std::array<char, 24> group{};
  std::array<char, 48> shape{};
  std::array<char, 2> padding{};
};
inline constexpr std::size_t kEntryWords = sizeof(Entry) / 8;
static_assert(sizeof(Entry) == 240 && sizeof(Entry) % 8 == 0);

// Readers in other processes copy the entry word by word through atomics, without a data race.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> lock;
  std::atomic<std::uint64_t> end;
  std::array<std::atomic<std::uint64_t>, kEntryWords> words;
};
static_assert(sizeof(Slot) == 256);

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t ranks;
  std::uint32_t slot_bytes;
  std::uint32_t zero;
  std::atomic<std::uint64_t> clock;
  std::array<char, 32> reserved;
};
static_assert(sizeof(Header) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline std::size_t file_bytes(std::uint32_t ranks) { return sizeof(Header) + std::size_t{ranks} * sizeof(Slot); }

// Writes one entry. Only the slot's own rank calls this, so a relaxed load of the lock is enough.
inline void publish(Slot& slot, const Entry& entry) {
  std::array<std::uint64_t, kEntryWords> words;
  std::memcpy(words.data(), &entry, sizeof(entry));
  const std::uint64_t before = slot.lock.load(std::memory_order_relaxed);
  slot.lock.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < words.size(); ++i) slot.words[i].store(words[i], std::memory_order_relaxed);
  slot.lock.store(before + 2, std::memory_order_release);
}

enum class Read { empty, whole, torn };

// Reads the entry; retries while the rank is writing, which takes less than a microsecond. Returns `torn` if it never
// finishes: the rank died while writing.
inline Read read(const Slot& slot, Entry& entry) {
  std::array<std::uint64_t, kEntryWords> words;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t before = slot.lock.load(std::memory_order_acquire);
    if (before == 0) return Read::empty;
    if (before % 2 != 0) continue;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = slot.words[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.lock.load(std::memory_order_relaxed) != before) continue;
    std::memcpy(static_cast<void*>(&entry), words.data(), sizeof(entry));
    return Read::whole;
  }
  return Read::torn;
}

}  // namespace ordercheck::flight
