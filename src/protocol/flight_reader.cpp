#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "protocol/flight.h"
#include "protocol/flight_layout.h"
#include "protocol/flight_slot.h"

namespace ordercheck {
namespace {

using flight::Entry;
using flight::Header;
using flight::Slot;

template <std::size_t N>
std::string text_of(const std::array<char, N>& field) {
  return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

// A mapped file, unmapped when it goes.
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
  // A phase that this program does not know was written by another one, or by nobody.
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
  return one_line(text);  // bytes of a program that died
}

}  // namespace ordercheck
