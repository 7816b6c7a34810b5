// The numbers that the conditions of pages look at (when.h lists their names), each in a slot of its own: while stacks are judged,
// no name is compared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rule/job.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck {

// Every name that a condition may use; its place is its slot.
const std::vector<std::string>& condition_names();
std::optional<std::size_t> slot_of(std::string_view name);  // nothing where it is no such name

class ConditionValues {
 public:
  static constexpr std::size_t kMostSlots = 64;

  bool contains(std::size_t slot) const { return (known_ >> slot & 1) != 0; }
  long long at(std::size_t slot) const { return values_[slot]; }  // of one that is known
  void set(std::size_t slot, long long value) {
    values_[slot] = value;
    known_ |= std::uint64_t{1} << slot;
  }
  // Of a degree that nobody wrote: it is more than 1, and no more is known of it.
  bool is_assumed(std::size_t slot) const { return (assumed_ >> slot & 1) != 0; }
  void assume_nothing() { assumed_ = 0; }
  void assume(std::size_t slot, long long value) {
    set(slot, value);
    assumed_ |= std::uint64_t{1} << slot;
  }

  bool contains(std::string_view name) const;  // of condition_names(), as the following
  bool is_assumed(std::string_view name) const;
  long long at(std::string_view name) const;
  void set(std::string_view name, long long value);

 private:
  std::array<long long, kMostSlots> values_{};
  std::uint64_t known_ = 0, assumed_ = 0;
};

// Of a job beside any stack: its sizes, and 0 for what few models have where nobody says that this one has.
ConditionValues values_of(const Job& job);
ConditionValues values_of(const Sizes& sizes);  // of these alone

// What an item adds to the values of its stack, whatever its degrees: worked out once an item.
struct ItemShare {
  MeshShare mesh;
  std::optional<std::size_t> counted;  // the slot that counts items of its name
  bool clips_alone = false;
  bool is_ep = false;
  std::optional<long long> etp, microbatches;  // that it says
};
ItemShare share_of(const Item& item);

// The values of a stack under those of a job: add its items, one after another, then finish.
class ValuesOfStack {
 public:
  explicit ValuesOfStack(const ConditionValues& job);
  void add(const ItemShare& share, std::span<const Degree> degrees);
  void finish();
  void take_missing_degrees_as_run();                        // behind finish(): what nobody wrote is kMissingDegree
  const ConditionValues& values() const { return values_; }  // behind finish()

 private:
  ConditionValues values_;
  Mesh mesh_;
  std::array<bool, kMeshAxes.size()> assumed_{};
};

// The degrees of the stack, what is counted in it, and what is known of the job. The microbatches that a pp item says are
// meant before the job's.
ConditionValues condition_values(const Stack& stack, const Job& job = {});

}  // namespace ordercheck
