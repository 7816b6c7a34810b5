// What one item of a stack is asked to show, part by part, and the effect that comes of it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "parity/effect.h"
#include "stack/mesh.h"

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

// Of rank 0 over the whole run. `kind` "" is any.
std::int64_t collectives(const Record& record, const std::string& kind, const std::string& group, Phase phase);

void expect_collective(Showing& showing, const Record& record, const char* kind, const char* group, Phase phase);

// What a step computes once: how much is computed again depends on policies and on graphs, not on the layout alone.
// kNotMeasured where either is.
std::int64_t flops_of(const Record& record);

// The rank does `share` parts in `parts` of the twin's matrix products, to the last one, recomputation left out.
void expect_split_work(Showing& showing, const EffectRuns& runs, int share, int parts);

}  // namespace ordercheck
