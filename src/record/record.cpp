#include "record/record.h"

#include <array>
#include <type_traits>

#include "record/counters.h"

namespace ordercheck {
namespace {

// Serializes values with their lengths, so that different records give different bytes.
class Canonical {
 public:
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T value) {
    auto wide = static_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte) bytes_.push_back(static_cast<char>(wide >> (8 * byte)));
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  void add(const Bits64& bits) { add(bits.bits); }
  void add(const Hash128& hash) {
    for (auto word : hash.words) add(word);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const StepRecord& step) {
    add(step.loss);
    add(step.gradient_norm);
  }
  void add(const ParameterRecord& p) {
    add(p.name);
    add(p.shape);
    add(p.gradient);
    add(p.value);
    add(p.changed);  // `frozen` belongs to the model as built; `has_gradient` follows from the gradients
    add(p.replicas_agree);
  }
  void add(const BufferRecord& b) {
    add(b.name);
    add(b.shape);
    add(b.value);
    add(b.local);
    add(b.replicas_agree);
  }
  void add(const CollectiveCount& c) {
    add(c.kind);
    add(c.group);
    add(c.phase);
    add(c.count);
    add(c.bytes);
  }
  void add(const Counters& c) {
    for (const CounterName& counter : kCounters) add(c.*counter.value);
  }
  void add(const TraceEntry& t) {  // without the file, a path on the host
    add(t.step);
    add(t.phase);
    add(t.module);
    add(t.shape);
    add(t.hash);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

Hash128 digest(const Record& record) {
  Canonical canonical;
  canonical.add(record.case_text);
  canonical.add(record.engine);
  canonical.add(record.ending);
  canonical.add(record.world_size);
  if (record.ending != Ending::completed) {
    // Thread timing decides how far other ranks came and which one raised first, so leave that out.
    if (record.failure) {
      canonical.add(record.failure->phase);
      canonical.add(record.failure->module);
      canonical.add(record.failure->operation);
      canonical.add(record.failure->group);
    }
    return hash_of(canonical.bytes());
  }
  canonical.add(record.steps);
  canonical.add(record.parameters);
  canonical.add(record.collectives);
  canonical.add(record.counters);
  canonical.add(record.parity_owed);
  canonical.add(bits_of(record.range_used));
  canonical.add(record.notes);
  canonical.add(record.trace);
  // Added only if there are buffers, so that models without them keep their digests of earlier versions.
  if (!record.buffers.empty()) canonical.add(record.buffers);
  return hash_of(canonical.bytes());
}

std::string version_of(const std::vector<std::string>& versions) {
  const auto space = versions.empty() ? std::string::npos : versions.front().find(' ');
  return space == std::string::npos ? "" : versions.front().substr(space + 1);
}

bool says_nothing(Ending ending) { return ending == Ending::killed || ending == Ending::unstarted; }

}  // namespace ordercheck
