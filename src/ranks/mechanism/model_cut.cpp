#include "ranks/mechanism/model_cut.h"

#include <stdexcept>

#include <fmt/format.h>

#include "ranks/mechanism/blocks.h"

namespace ordercheck::ranks {
namespace {

struct Range {
  int first, end;
  bool holds(int index) const { return first <= index && index < end; }
};

// Of parts 0 to count - 1.
Range dealt(int count, int stage, int stages) { return {stage * count / stages, (stage + 1) * count / stages}; }

}  // namespace

void keep_stage(const ModulePtr& model, int stage, int stages) {
  const ModulePtr layers = layers_of(model);
  const int blocks = static_cast<int>(layers->children().size());
  const bool ends_count = stages > blocks;
  const int parts = ends_count ? blocks + 2 : blocks;
  if (stages > parts)
    throw std::runtime_error(fmt::format(
        "a pipeline of {} stages: expected at most {}, for {} blocks, the embedding and the output", stages, parts, blocks));
  Range mine = dealt(parts, stage, stages);
  const bool has_first = ends_count ? mine.holds(0) : stage == 0;
  const bool has_last = ends_count ? mine.holds(parts - 1) : stage == stages - 1;
  if (ends_count) mine = {mine.first - 1, mine.end - 1};

  const auto names = layers->children();  // a copy: the loop changes it
  for (int index = 0; index < blocks; ++index)
    if (!mine.holds(index)) layers->remove_child(names[static_cast<std::size_t>(index)].first);
  ModulePtr holder = model;
  while (holder->is_wrapper() && !holder->child("layers")) holder = holder->children().front().second;
  if (!has_first) holder->remove_child("tok_embeddings");
  if (has_last) return;
  for (const char* last : {"norm", "output"}) holder->remove_child(last);
}

}  // namespace ordercheck::ranks
