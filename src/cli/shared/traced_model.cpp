#include "cli/shared/traced_model.h"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/shared/driver_answer.h"
#include "record/record_codec.h"
#include "record/schema.h"

namespace ordercheck::cli {
namespace {

// A model of a hundred blocks takes a minute to trace.
constexpr std::chrono::seconds kTracingLimit{600};

const std::vector<std::string> kLlamaSizes{"layers", "dim", "heads", "kv_heads", "head_dim", "ffn_hidden", "vocab"};

bool is_users(const std::string& model) { return model.find(':') != std::string::npos; }

}  // namespace

Result<Sizes> sizes_to_trace(const std::string& model, Sizes given, bool has_config) {
  std::vector<std::string> needed{"sequence_length", "sequences"};
  if (!is_users(model) && model != "llama")
    return Error{fmt::format("--model {}: expected llama, or a factory of yours, pkg:factory", one_line(model))};
  if (is_users(model)) {
    if (has_config) return Error{fmt::format("{} has sizes of its own; leave out --config", model)};
    for (const std::string& name : model_size_names())
      if (given.contains(name))
        return Error{
            fmt::format("{} has sizes of its own; leave out {}, or leave out --model for the built-in llama", model, name)};
  } else {
    needed.insert(needed.end(), kLlamaSizes.begin(), kLlamaSizes.end());
    if (given.contains("experts") && given.at("experts") > 0)
      return Error{"the model has experts, and the built-in llama has none; give your own with --model pkg:factory"};
    for (const auto& [name, value] : given)
      if (!contains(needed, name) && name != "tied" && name != "experts")
        return Error{fmt::format("--set {}: the graph of the built-in llama does not depend on it; leave it out", name)};
    if (!given.contains("head_dim") && given.contains("dim") && given.contains("heads"))
      given["head_dim"] = given.at("dim") / given.at("heads");
  }
  if (!has_config) {
    const Sizes usual = frozen_sizes();
    given.insert(usual.begin(), usual.end());
  }
  std::vector<std::string> missing;
  for (const std::string& name : needed)
    if (!given.contains(name)) missing.push_back(name);
  if (missing.empty() && !is_users(model)) {
    if (given.at("head_dim") % 2 != 0)
      return Error{fmt::format("head_dim={}: expected an even number, since positions rotate pairs", given.at("head_dim"))};
    if (given.at("heads") % given.at("kv_heads") != 0)
      return Error{fmt::format("heads={}: expected a multiple of kv_heads={}", given.at("heads"), given.at("kv_heads"))};
  }
  if (!missing.empty()) return Error{fmt::format("--set {}=N is missing: the graph depends on it", join(missing, "=N,"))};
  return given;
}

Result<placing::TracedModel> traced_model(const ModelQuestion& question, const EngineSpec& engine) {
  const Sizes& sizes = question.sizes;
  const nlohmann::json asked{{"model", question.model},
                             {"sizes", sizes},
                             {"sequences", sizes.at("sequences")},
                             {"sequence_length", sizes.at("sequence_length")}};
  const auto written = driver_answer(engine, {"graph"}, to_text(asked) + "\n", kTracingLimit);
  if (!written) return written.error();
  const auto answer = parse_object(*written);
  if (!answer) return Error{fmt::format("{} engine: its graph: {}", engine.name, answer.error().message)};
  try {
    return placing::TracedModel{.graph = graph_in(answer->at("graph")),
                                .parameters = answer->at("parameters").get<std::vector<std::string>>(),
                                .has_samples = answer->at("has_samples").get<std::vector<bool>>()};
  } catch (const nlohmann::json::exception& error) {
    return Error{
        fmt::format("{} engine: expected a traced graph, got another object; is the driver of another version than "
                    "ordercheck? ({})",
                    engine.name, error.what())};
  }
}

}  // namespace ordercheck::cli
