// What one item of a stack is asked to show, part by part, and the effect that comes of it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "parity/effect.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {

// What is looked at: the run of a case, and of the same case without the item; null where that one did not complete.
struct EffectRuns {
  const Case& subject;
  std::size_t index;
  const Record& with;
  const Record* without;
  const Item& item() const { return subject.stack.items[index]; }
  Mesh mesh() const { return mesh_of(Stack{.items = {item()}}); }  // that the item alone asks for
};

// Each part adds a sign, and one missing part makes the effect absent. A part that needs a counter that was not measured
// shows nothing either way; where no other part is left, nothing is stated about the effect.
class Showing {
 public:
  void expect(bool holds, std::string sign);
  // All of it holds, or a part, or nothing.
  void expect_all(std::int64_t part, std::int64_t whole, std::string sign);
  void remark(std::string sign);

  // Whether all values of a counter were measured; where not, that is remarked: "matmul flops not measured by this engine".
  bool measured(const std::string& what, std::initializer_list<std::int64_t> values);

  Effect effect(const Item& item) const;

 private:
  bool some_ = false;
  bool missing_ = false;
  bool unmeasured_ = false;
  std::vector<Sign> signs_;
};

// The group that collectives have on a mesh that a user's function builds itself. They count for every axis.
inline constexpr const char* kOwnMesh = "(own mesh)";

// The record with kOwnMesh in place of every group that is no axis of the case's mesh, several axes or the world.
Record with_own_mesh(Record record);

// Whether some item owes that effect.
bool owes(const Stack& stack, OwedEffect effect);

// A compiler puts together the collectives of what stands in the graph, and frees what it gathered. Without one every read gathers,
// and what it gathered stays until backward has read it: once or, of a parameter that is read twice, twice.
bool is_in_graph(const Item& item);

// A schedule that computes the gradients of inputs and of weights apart may run a part of backward twice.
bool splits_backward(const Item& pipeline);

// Of rank 0 over the whole run. `kind` "" is any.
std::int64_t collectives(const Record& record, const std::string& kind, const std::string& group, Phase phase);

void expect_collective(Showing& showing, const Record& record, const char* kind, const char* group, Phase phase);

// What a step computes once: how much is computed again depends on policies and on graphs, not on the layout alone.
// kNotMeasured where either is.
std::int64_t flops_of(const Record& record);

// The rank does `share` parts in `parts` of the twin's matrix products, to the last one, recomputation left out.
void expect_split_work(Showing& showing, const EffectRuns& runs, int share, int parts);

}  // namespace ordercheck
