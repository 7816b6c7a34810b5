#include "record/flight.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "base/text.h"
#include "record/flight_layout.h"
#include "record/flight_slot.h"

namespace ordercheck {
namespace {

using flight::Entry;
using flight::Header;
using flight::Slot;

template <std::size_t N>
void put(std::array<char, N>& field, std::string_view text) {
  const std::size_t length = std::min(text.size(), N - 1);
  field.fill('\0');
  std::memcpy(field.data(), text.data(), length);
}

// The flight slot that the current thread wrote last. The signal handler notes a fatal signal of the thread there.
thread_local std::atomic<Slot*> slot_of_this_thread{nullptr};

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The range of slots of the newest recorder. A thread may outlive its mapped file, so the handler checks that its slot is in
// this range before writing.
std::atomic<Slot*> live_begin{nullptr};
std::atomic<Slot*> live_end{nullptr};

// Runs in signal handlers, so it uses atomics only.
void note_end(std::uint64_t end) {
  Slot* slot = slot_of_this_thread.load(std::memory_order_relaxed);
  if (slot != nullptr && slot >= live_begin.load() && slot < live_end.load()) slot->end.store(end, std::memory_order_relaxed);
}

void note_exit() { note_end(flight::kCalledExit); }

void note_fatal_signal(int number) {
  // Restore the default first: if this handler fails, the process still ends by the signal.
  std::signal(number, SIG_DFL);
  note_end(static_cast<std::uint64_t>(number));
  raise(number);
}

// Installs the handlers for fatal signals and exit(). Keeps handlers that sanitizers or debuggers installed.
void watch_ends() {
  std::atexit(note_exit);
  std::at_quick_exit(note_exit);
  for (const int number : kFatalSignals) {
    struct sigaction present{};
    sigaction(number, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_handler = note_fatal_signal;
    // SA_NODEFER: raise() takes effect inside the handler. SA_ONSTACK: also works on an alternate stack.
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(number, &action, nullptr);
  }
}

std::string reason() { return std::strerror(errno); }

}  // namespace

struct FlightRecorder::Mapping {
  void* memory = MAP_FAILED;
  std::size_t bytes = 0;
  std::vector<Entry> entries;  // last entry of each rank; only that rank touches it

  ~Mapping() {
    if (memory != MAP_FAILED) munmap(memory, bytes);
  }
  Header& header() { return *static_cast<Header*>(memory); }
  Slot& slot(int rank) {
    return *reinterpret_cast<Slot*>(static_cast<char*>(memory) + sizeof(Header) +
                                    static_cast<std::size_t>(rank) * sizeof(Slot));
  }
  Entry& entry(int rank) {
    assert(rank >= 0 && static_cast<std::size_t>(rank) < entries.size() && "rank within the flight file");
    return entries[static_cast<std::size_t>(rank)];
  }
  void publish(int rank) {
    Entry& last = entry(rank);
    last.ticket = header().clock.fetch_add(1, std::memory_order_relaxed) + 1;
    flight::publish(slot(rank), last);
    slot_of_this_thread.store(&slot(rank), std::memory_order_relaxed);
  }
};

FlightRecorder::FlightRecorder(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}

FlightRecorder::~FlightRecorder() {
  // Clear the range only if no newer recorder has replaced it.
  if (live_begin.load() == &mapping_->slot(0)) live_end.store(nullptr);
}

Result<std::unique_ptr<FlightRecorder>> FlightRecorder::create(const std::filesystem::path& path, int ranks) {
  if (ranks < 1 || static_cast<std::uint32_t>(ranks) > flight::kMostRanks)
    return Error{fmt::format("flight file {}: expected 1 to {} ranks, got {}", path.string(), flight::kMostRanks, ranks)};
  // Create under another name and rename when complete: a reader may open the file at any time.
  const std::filesystem::path begun = path.string() + ".new";
  const int file = open(begun.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return Error{fmt::format("flight file {}: cannot create it: {}", path.string(), reason())};
  auto mapping = std::make_unique<Mapping>();
  mapping->bytes = flight::file_bytes(static_cast<std::uint32_t>(ranks));
  // Allocate the blocks: writing to a hole of a full disk would raise SIGBUS.
  const int failed = posix_fallocate(file, 0, static_cast<off_t>(mapping->bytes));
  if (failed == 0) mapping->memory = mmap(nullptr, mapping->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const std::string why = failed != 0 ? std::strerror(failed) : reason();
  close(file);
  if (mapping->memory == MAP_FAILED) {
    unlink(begun.c_str());
    return Error{fmt::format("flight file {}: cannot map {} bytes: {}", path.string(), mapping->bytes, why)};
  }
  mapping->entries.resize(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) new (&mapping->slot(rank)) Slot{};
  new (mapping->memory) Header{.magic = flight::kMagic,
                               .version = flight::kVersion,
                               .ranks = static_cast<std::uint32_t>(ranks),
                               .slot_bytes = sizeof(Slot),
                               .zero = 0,
                               .clock = 0,
                               .reserved = {}};
  if (rename(begun.c_str(), path.c_str()) != 0)
    return Error{fmt::format("flight file {}: cannot rename {} to it: {}", path.string(), begun.string(), reason())};
  // Empty the range before moving it: another thread may get a signal meanwhile.
  live_end.store(nullptr);
  live_begin.store(&mapping->slot(0));
  live_end.store(&mapping->slot(ranks));
  static std::once_flag watched;
  std::call_once(watched, watch_ends);
  return std::unique_ptr<FlightRecorder>(new FlightRecorder(std::move(mapping)));
}

void FlightRecorder::at_step(int rank, int step, Phase phase) {
  Entry& entry = mapping_->entry(rank);
  entry.step = step;
  entry.phase = static_cast<std::uint8_t>(phase);
  put(entry.module, "");
  mapping_->publish(rank);
}

void FlightRecorder::at_module(int rank, Phase phase, std::string_view module) {
  Entry& entry = mapping_->entry(rank);
  entry.phase = static_cast<std::uint8_t>(phase);
  put(entry.module, module);
  mapping_->publish(rank);
}

void FlightRecorder::at_collective(int rank, std::string_view operation, std::string_view group, std::int64_t sequence,
                                   std::string_view shape) {
  Entry& entry = mapping_->entry(rank);
  put(entry.operation, operation);
  put(entry.group, group);
  put(entry.shape, shape);
  entry.sequence = sequence;
  mapping_->publish(rank);
}

void FlightRecorder::left_collective(int rank) {
  Entry& entry = mapping_->entry(rank);
  put(entry.operation, "");
  put(entry.group, "");
  put(entry.shape, "");
  mapping_->publish(rank);
}

void FlightRecorder::finished(int rank) {
  mapping_->entry(rank).finished = 1;
  mapping_->publish(rank);
}

std::vector<FlightSlot> live_flight_slots() {
  std::vector<FlightSlot> slots;
  for (const Slot* slot = live_begin.load(); slot < live_end.load(); ++slot) slots.push_back(slot_of(*slot));
  return slots;
}

namespace {

using flight::Entry;
using flight::Header;
using flight::Slot;

template <std::size_t N>
std::string text_of(const std::array<char, N>& field) {
  return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

// Unmaps the file on destruction.
struct View {
  void* memory = MAP_FAILED;
  std::size_t bytes = 0;
  ~View() {
    if (memory != MAP_FAILED) munmap(memory, bytes);
  }
};

}  // namespace

FlightSlot slot_of(const Slot& from) {
  FlightSlot slot;
  const std::uint64_t end = from.end.load(std::memory_order_relaxed);
  slot.called_exit = end == flight::kCalledExit;
  if (end < flight::kCalledExit) slot.fatal_signal = static_cast<int>(end);
  Entry entry;
  switch (flight::read(from, entry)) {
    case flight::Read::empty: return slot;
    case flight::Read::torn:
      slot.used = true;
      slot.torn = true;
      return slot;
    case flight::Read::whole: break;
  }
  slot.used = true;
  // An unknown phase comes from another program version or from corrupt bytes.
  slot.torn = entry.phase > static_cast<std::uint8_t>(Phase::observe);
  if (slot.torn) return slot;
  slot.step = entry.step;
  slot.phase = static_cast<Phase>(entry.phase);
  slot.module = text_of(entry.module);
  slot.operation = text_of(entry.operation);
  slot.group = text_of(entry.group);
  slot.sequence = entry.sequence;
  slot.shape = text_of(entry.shape);
  slot.finished = entry.finished != 0;
  slot.ticket = entry.ticket;
  return slot;
}

Result<std::vector<FlightSlot>> read_flight(const std::filesystem::path& path) {
  const auto wrong = [&](const std::string& what) { return Error{"flight file " + path.string() + ": " + what}; };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return wrong(std::string("cannot open it: ") + std::strerror(errno));
  struct stat status{};
  View view;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) view.bytes = static_cast<std::size_t>(status.st_size);
  if (view.bytes >= sizeof(Header)) view.memory = mmap(nullptr, view.bytes, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (view.memory == MAP_FAILED)
    return wrong(fmt::format("expected at least a header of {} bytes, got {} bytes", sizeof(Header), view.bytes));
  const auto& header = *static_cast<const Header*>(view.memory);
  if (header.magic != flight::kMagic) return wrong("expected the magic 'ORDCFLT1' at its start, got something else");
  if (header.version != flight::kVersion || header.slot_bytes != sizeof(Slot))
    return wrong(fmt::format("expected version {} with slots of {} bytes, got version {} with slots of {} bytes",
                             flight::kVersion, sizeof(Slot), header.version, header.slot_bytes));
  if (header.ranks > flight::kMostRanks || view.bytes < flight::file_bytes(header.ranks))
    return wrong(fmt::format("expected {} bytes for {} ranks, got {} bytes", flight::file_bytes(header.ranks), header.ranks,
                             view.bytes));
  const auto* slots = reinterpret_cast<const Slot*>(static_cast<const char*>(view.memory) + sizeof(Header));
  std::vector<FlightSlot> read;
  read.reserve(header.ranks);
  for (std::uint32_t rank = 0; rank < header.ranks; ++rank) read.push_back(slot_of(slots[rank]));
  return read;
}

std::string describe(int rank, const FlightSlot& slot) {
  std::string text = fmt::format("rank {}: ", rank);
  if (!slot.used) return text + "wrote nothing";
  if (slot.torn) return text + "unknown, it was cut off while writing where it is";
  if (slot.finished) return text + "finished";
  text += name_of(slot.phase);
  if (!slot.module.empty()) text += ", " + slot.module;
  if (!slot.operation.empty()) {
    text += ", in " + slot.operation;
    if (slot.sequence >= 0) text += fmt::format(" #{}", slot.sequence);
    if (!slot.group.empty()) text += " on " + slot.group;
    if (!slot.shape.empty()) text += ", " + slot.shape;
  }
  if (slot.fatal_signal != 0) text += fmt::format(", raised {}", strsignal(slot.fatal_signal));
  if (slot.called_exit) text += ", called exit";
  return one_line(text);  // a dead program may leave arbitrary bytes
}

}  // namespace ordercheck
