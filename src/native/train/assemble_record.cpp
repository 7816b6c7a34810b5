#include "native/train/assemble_record.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <tuple>

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "native/arith/same_bits.h"

namespace ordercheck::ranks {
namespace {

at::Tensor as_double(const at::Tensor& tensor) { return tensor.to(at::kDouble).contiguous(); }

Hash128 hash_of_values(const at::Tensor& doubles) { return hash_of(doubles.const_data_ptr(), doubles.nbytes()); }

class Assembly {
 public:
  Assembly(const Run& run, const Mesh& mesh, const std::vector<RankResult>& results, Record& record)
      : run_(run), mesh_(mesh), results_(results), record_(record) {}

  void steps() {
    for (std::size_t step = 0; step < results_[0].loss.size(); ++step) {
      StepRecord& into = record_.steps.emplace_back();
      for (const RankResult& result : results_) {
        into.loss.push_back(result.loss[step]);
        into.gradient_norm.push_back(result.gradient_norm[step]);
      }
    }
  }

  // Fills in the record's parameters: a hash of each full gradient in every step, then of each full value after the last step.
  // Kept tensors are written in this order too.
  void parameters(const std::vector<std::pair<std::string, at::Tensor>>& model) {
    for (const auto& [name, initial] : model) {
      record_.parameters.push_back(
          {.name = name, .shape = initial.sizes().vec(), .frozen = !initial.requires_grad(), .has_gradient = false});
    }
    const int steps = static_cast<int>(results_[0].gradients.size());
    for (int step = 0; step < steps; ++step) {
      for (ParameterRecord& into : record_.parameters) {
        const at::Tensor full = join([&](const RankResult& y) { return find(y.gradients[step], into.name); }, into);
        into.gradient.push_back(hash_of_values(full));
        into.has_gradient = into.has_gradient || at::any(full != 0).item<bool>();
        keep(step, Phase::backward, "gradient of " + into.name, full);
      }
    }
    for (std::size_t i = 0; i < model.size(); ++i) {
      ParameterRecord& into = record_.parameters[i];
      const at::Tensor full = join([&](const RankResult& y) { return find(y.values, into.name); }, into);
      into.value = hash_of_values(full);
      into.changed = !same_bits(full, as_double(model[i].second.detach()));
      keep(steps - 1, Phase::optimizer, into.name, full);
    }
  }

  // Writes every traced output and gradient as a full tensor, in execution order. A tensor spans the samples of the whole step:
  // concatenates microbatches, then data-parallel ranks.
  void trace() {
    std::vector<std::map<Key, std::vector<TracedPiece>>> by_rank(results_.size());
    for (std::size_t rank = 0; rank < results_.size(); ++rank)
      for (const TracedPiece& traced : results_[rank].trace) by_rank[rank][key_of(traced)].push_back(traced);
    for (const Key& key : order_of_execution()) {
      std::vector<int> holders = every_rank(mesh_);
      std::erase_if(holders, [&](int rank) { return !by_rank[static_cast<std::size_t>(rank)].contains(key); });
      const TracedPiece& first = by_rank[static_cast<std::size_t>(holders.front())][key].front();
      Placements placements{{.axis = "dp_replicate", .dim = 0}, {.axis = "dp_shard", .dim = 0}};
      placements.push_back({.axis = "cp", .dim = first.sequence_dim});
      placements.insert(placements.end(), first.piece.placements.begin(), first.piece.placements.end());
      const at::Tensor full = assemble(placements, mesh_, holders, [&](int rank) {
        std::vector<at::Tensor> microbatches;
        for (const TracedPiece& traced : by_rank[rank][key]) microbatches.push_back(traced.piece.tensor);
        return at::cat(microbatches, 0);
      });
      // Sort the rows of the cp ranks by sequence position. Skip this if an incorrect placement changed the length, and record
      // the tensor as it is.
      const at::Tensor places = places_in_pieces();
      const bool is_sequence = full.size(first.sequence_dim) == places.numel();
      const at::Tensor sorted = is_sequence ? full.index_select(first.sequence_dim, places) : full;
      const auto& [step, phase, module, call] = key;
      keep(step, phase, call == 0 ? module : fmt::format("{} (call {})", module, call + 1), as_double(sorted));
    }
  }

 private:
  using Key = std::tuple<int, Phase, std::string, int>;
  using PieceOf = std::function<const Piece*(const RankResult&)>;  // nullptr if the rank has none

  static Key key_of(const TracedPiece& traced) { return {traced.step, traced.phase, traced.module, traced.call}; }

  static const Piece* find(const std::map<std::string, Piece>& pieces, const std::string& name) {
    const auto found = pieces.find(name);
    return found == pieces.end() ? nullptr : &found->second;
  }

  // Returns, for each position of the sequence, its index in the concatenated pieces of the cp ranks.
  at::Tensor places_in_pieces() const {
    std::vector<at::Tensor> positions;
    for (const int rank : every_rank(mesh_))
      if (static_cast<int>(positions.size()) == coordinate_of(mesh_, rank, "cp"))
        positions.push_back(results_[static_cast<std::size_t>(rank)].positions);
    return at::argsort(at::cat(positions));
  }

  // Returns the traced module calls in execution order. Each pipeline stage knows only its own calls: takes forward from the
  // first stage to the last, backward in reverse, each from the stage's lowest rank.
  std::vector<Key> order_of_execution() const {
    std::vector<Key> order;
    std::set<Key> known;
    const int stages = degree_of(mesh_, "pp"), ranks = static_cast<int>(results_.size()) / stages;
    const auto add = [&](int step, Phase phase, int stage) {
      for (const TracedPiece& traced : results_[static_cast<std::size_t>(stage * ranks)].trace) {
        if (traced.step != step || traced.phase != phase) continue;
        if (known.insert(key_of(traced)).second) order.push_back(key_of(traced));
      }
    };
    for (int step = 0; step < static_cast<int>(results_[0].loss.size()); ++step) {
      for (int stage = 0; stage < stages; ++stage) add(step, Phase::forward, stage);
      for (int stage = stages; stage-- > 0;) add(step, Phase::backward, stage);
    }
    return order;
  }

  // Assembles a parameter's full tensor (gradient or value) from the ranks that have a piece, and checks that all replicas have
  // equal bits.
  at::Tensor join(const PieceOf& piece_of, ParameterRecord& into) {
    std::vector<int> holders = every_rank(mesh_);
    std::erase_if(holders, [&](int rank) { return piece_of(results_[rank]) == nullptr; });
    if (holders.empty()) throw std::runtime_error(fmt::format("no rank has {}", into.name));
    const Placements placements = piece_of(results_[holders.front()])->placements;
    const at::Tensor full = assemble(placements, mesh_, holders, [&](int rank) { return piece_of(results_[rank])->tensor; });
    if (full.sizes() != at::IntArrayRef(into.shape)) {
      throw std::runtime_error(fmt::format("the pieces of {} ({}) make [{}], the model has [{}]", into.name, print(placements),
                                           fmt::join(full.sizes(), ", "), fmt::join(into.shape, ", ")));
    }
    for (const int rank : holders) {
      const at::Tensor owed = local_piece(full, placements, mesh_, rank);
      if (!same_bits(owed, piece_of(results_[rank])->tensor)) into.replicas_agree = false;
    }
    return as_double(full);
  }

  void keep(int step, Phase phase, const std::string& what, const at::Tensor& full) {
    if (run_.keep != Keep::values) return;
    TraceEntry entry{.step = step, .phase = phase, .module = what, .shape = full.sizes().vec(), .hash = hash_of_values(full)};
    const auto path = std::filesystem::path(run_.values_folder) / fmt::format("{:05}.f64", record_.trace.size());
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(full.const_data_ptr()), static_cast<std::streamsize>(full.nbytes()));
    if (!file.flush()) throw std::runtime_error("cannot write values to " + path.string());
    entry.file = path.filename().string();
    record_.trace.push_back(std::move(entry));
  }

  const Run& run_;
  const Mesh& mesh_;
  const std::vector<RankResult>& results_;
  Record& record_;
};

}  // namespace

void assemble_record(const Run& run, const Mesh& mesh, const std::vector<RankResult>& results,
                     const std::vector<std::pair<std::string, at::Tensor>>& model_parameters, Record& record) {
  Assembly assembly(run, mesh, results, record);
  assembly.steps();
  assembly.trace();
  if (run.keep != Keep::none) assembly.parameters(model_parameters);
  // Take collectives, counters, notes and graphs from the first rank that has a transformer block: only such a rank shows what
  // transforms did to blocks.
  const auto teller = std::ranges::find_if(results, [](const RankResult& result) { return result.has_block; });
  const RankResult& told = teller == results.end() ? results[0] : *teller;
  record.collectives = told.collectives;
  record.counters = told.counters;
  record.notes = told.notes;
  record.graphs = told.graphs;
  record.plans = told.plans;
}

}  // namespace ordercheck::ranks
