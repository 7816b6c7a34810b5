#include "captured/buffer_plan.h"

#include <map>
#include <set>

#include "captured/lifetimes.h"

namespace ordercheck::captured {
namespace {

class Planner {
 public:
  Planner(const GraphRecord& graph, SentBuffers sent) : graph_(graph), memory_(memory_of(graph)) {
    plan_.buffer.assign(graph.shapes.size(), -1);
    for (const auto* handed_out : {&graph.saved, &graph.outputs, &graph.gradients})
      for (const int value : *handed_out) outside_.insert(memory(value));
    find_last_readers(sent);
  }

  BufferPlan plan() && {
    std::set<int> known;
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      for (const int value : graph_.nodes[at].results)
        if (memory(value) == value && known.insert(value).second && !outside_.contains(value)) place(value);
      for (const int value : last_read_at_[at])
        if (const int buffer = plan_.buffer[static_cast<std::size_t>(value)]; buffer != -1)
          free_[bytes_of(graph_, value)].push_back(buffer);
    }
    return std::move(plan_);
  }

 private:
  int memory(int value) const { return memory_[static_cast<std::size_t>(value)]; }

  void find_last_readers(SentBuffers sent) {
    std::map<int, std::size_t> last;
    std::map<int, std::vector<int>> handed;  // to the collective that makes a memory
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const GraphNodeRecord& node = graph_.nodes[at];
      for (const int value : node.results) {
        last[memory(value)] = at;
        if (is_start(node))
          for (const int operand : node.operands) handed[memory(value)].push_back(memory(operand));
      }
      for (const int value : node.operands) {
        last[memory(value)] = at;
        if (node.op == kWait && sent == SentBuffers::kept_to_the_wait)
          for (const int operand : handed[memory(value)]) last[operand] = at;
      }
    }
    last_read_at_.resize(graph_.nodes.size());
    for (const auto& [value, at] : last) last_read_at_[at].push_back(value);
  }

  void place(int value) {
    std::vector<int>& free = free_[bytes_of(graph_, value)];
    if (free.empty()) {
      free.push_back(static_cast<int>(plan_.bytes.size()));
      plan_.bytes.push_back(bytes_of(graph_, value));
    }
    plan_.buffer[static_cast<std::size_t>(value)] = free.back();
    free.pop_back();
  }

  const GraphRecord& graph_;
  std::vector<int> memory_;
  std::set<int> outside_;
  std::vector<std::vector<int>> last_read_at_;     // memories, by node
  std::map<std::int64_t, std::vector<int>> free_;  // buffers, by bytes
  BufferPlan plan_;
};

}  // namespace

BufferPlan plan_buffers(const GraphRecord& graph, SentBuffers sent) { return Planner(graph, sent).plan(); }

}  // namespace ordercheck::captured
