// Collects the checks of one item of a stack and derives its effect from them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "record/effect.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {

// The two runs that show an item's effect: the case, and its twin without the item (null if that did not complete).
struct EffectRuns {
  const Case& subject;
  std::size_t index;
  const Record& with;
  const Record* without;
  const Item& item() const { return subject.stack.items[index]; }
  Mesh mesh() const { return mesh_of(Stack{.items = {item()}}); }  // the mesh of this item alone
};

// Collects the checks of one transform and computes its Effect. One failed check makes the effect absent. A check on a counter
// that was not measured is skipped; if no check is left, the effect is undefined.
class Showing {
 public:
  void expect(bool holds, std::string sign);
  // Fails unless `part` equals `whole`; a `part` between 0 and `whole` makes the effect partial.
  void expect_all(std::int64_t part, std::int64_t whole, std::string sign);
  void remark(std::string sign);

  // Whether all values of a counter were measured. If not, adds a remark: "matmul flops not measured by this engine".
  bool measured(const std::string& what, std::initializer_list<std::int64_t> values);

  Effect effect(const Item& item) const;

 private:
  bool some_ = false;
  bool missing_ = false;
  bool unmeasured_ = false;
  std::vector<Sign> signs_;
};

// The group of collectives on a mesh that a user's function builds itself. They count for every axis.
inline constexpr const char* kOwnMesh = "(own mesh)";

// Replaces by kOwnMesh every group that is not an axis, several axes or the world.
Record with_own_mesh(Record record);

// Whether an item must show that effect.
bool owes(const Stack& stack, OwedEffect effect);

// Whether the item's collectives are part of the graph. A compiler then buckets them and frees gathered parameters. Without one
// every read gathers, and the result stays until backward reads it: once, or twice for a parameter read twice.
bool is_in_graph(const Item& item);

// Whether the schedule computes gradients of inputs and weights apart, so that parts of backward may run twice.
bool splits_backward(const Item& pipeline);

// The number of collectives of this kind, group and phase over the whole run, on the rank that the record describes. `kind` ""
// counts every kind.
std::int64_t collectives(const Record& record, const std::string& kind, const std::string& group, Phase phase);

void expect_collective(Showing& showing, const Record& record, const char* kind, const char* group, Phase phase);

// Flops of a step without recomputation, which depends on checkpointing policies and graphs rather than the layout.
// kNotMeasured if either counter was not measured.
std::int64_t flops_of(const Record& record);

// Checks that the rank's matrix product flops are exactly share/parts of those in the run without the item. Recomputation is
// not counted.
void expect_split_work(Showing& showing, const EffectRuns& runs, int share, int parts);

}  // namespace ordercheck
