#include "importer/accelerate_parts.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

struct Strategy {
  const char* name;
  const char* shard;    // "" for none
  const char* both;     // where ranks replicate too
  const char* reshard;  // an option
};

// By place, from 1, or by name: utils/constants.py of accelerate has them in this order.
constexpr std::array<Strategy, 5> kStrategies{{{"FULL_SHARD", "fsdp", "", ":reshard=always"},
                                               {"SHARD_GRAD_OP", "fsdp", "", ":reshard=never"},
                                               {"NO_SHARD", "", "", ""},
                                               {"HYBRID_SHARD", "", "hsdp", ":reshard=always"},
                                               {"HYBRID_SHARD_ZERO2", "", "hsdp", ":reshard=never"}}};

const Strategy* find_strategy(const std::string& text) {
  std::string upper = text;
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  for (std::size_t at = 0; at < kStrategies.size(); ++at)
    if (upper == kStrategies[at].name || text == std::to_string(at + 1)) return &kStrategies[at];
  return nullptr;
}

std::string wrapping_scope(Reading& reading, const std::string& key) {
  const std::string policy = lower(reading.word(key));
  if (policy == "no_wrap") return "@model";
  if (!policy.empty() && policy != "transformer_based_wrap")
    reading.refuse(*reading.find(key), "no scope stands for modules chosen by their size");
  return "";
}

void add_version_1(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, int data, const Origin& where) {
  const std::string mp = cast.empty() ? "" : ":mp=" + cast;
  const std::string scope = wrapping_scope(reading, keys.wrap);
  const std::string& named = reading.has(keys.strategy) ? keys.strategy : keys.reshard;
  const Strategy* strategy = reading.has(named) ? find_strategy(reading.word(named)) : &kStrategies.front();
  if (strategy == nullptr) {
    reading.refuse(*reading.find(named), "expected FULL_SHARD, SHARD_GRAD_OP, NO_SHARD or HYBRID_SHARD");
    strategy = &kStrategies.front();
  }
  if (*strategy->both != '\0')
    reading.add(fmt::format("{}{}{}{}", strategy->both, strategy->reshard, mp, scope), where);
  else
    reading.add_data_parallel(*strategy->shard == '\0' ? data : 1, *strategy->shard == '\0' ? 1 : data,
                              *strategy->shard != '\0', where, {.sharded_options = strategy->reshard + mp, .scope = scope});
  // The forward runs under autocast too.
  if (!cast.empty()) reading.add("amp=" + cast, reading.where("mixed_precision"));
  const std::string what = reading.has(keys.version) ? in_words(*reading.find(keys.version)) : keys.version + " is not stated";
  reading.note(what, reading.where(keys.version),
               "that is FSDP1; fsdp stands for FSDP2, and what is FSDP1's own is not judged");
}

void add_version_2(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, int data, const Origin& where) {
  std::string options;
  if (const auto reshard = reading.flag(keys.reshard)) options = *reshard ? ":reshard=always" : ":reshard=never";
  if (!cast.empty()) {
    options += ":mp=" + cast;
    reading.note("mixed precision " + cast, where,
                 fmt::format("accelerate reduces gradients in {} too; fsdp:mp stands for float32", cast));
  }
  const DataParallel as{.sharded_options = options, .scope = wrapping_scope(reading, keys.wrap)};
  const bool stated = reading.states_degree("dp_shard") || reading.states_degree("dp_replicate");
  if (stated)
    reading.add_data_parallel(reading.degree("dp_replicate"), reading.degree("dp_shard"), true, where, as);
  else
    reading.add_data_parallel(1, data, true, where, as);
}

// The line that asks for FSDP: the first of its settings that the file states, else what names it.
Origin asked_at(const Reading& reading, const AccelerateFsdp& keys) {
  for (const std::string& key : {keys.version, keys.strategy, keys.reshard, keys.wrap, keys.checkpointing,
                                 std::string("distributed_type"), std::string("fsdp")})
    if (reading.has(key)) return reading.where(key);
  return reading.where(keys.version);
}

}  // namespace

std::string add_accelerate_fsdp(Reading& reading, const AccelerateFsdp& keys, const std::string& cast, long long others) {
  const long long version = reading.whole(keys.version).value_or(1);
  const Origin where = reading.states_degree("dp_shard") ? reading.degree_origin("dp_shard") : asked_at(reading, keys);
  const bool known = reading.ranks && others > 0 && *reading.ranks % others == 0;
  const int data = known ? static_cast<int>(*reading.ranks / others) : 0;
  if (version != 1 && version != 2) reading.refuse(*reading.find(keys.version), "expected version 1 or 2");
  if (version == 2)
    add_version_2(reading, keys, cast, data, where);
  else
    add_version_1(reading, keys, cast, data, where);
  if (keys.checkpoints) reading.add("ac:preserve_rng_state=off", reading.where(keys.checkpointing));
  return version == 2 ? "accelerate" : "accelerate-wrappers";
}

void add_accelerate_compile(Reading& reading, const Setting& backend, bool of_fsdp2, bool regional, bool fullgraph) {
  const std::string name = lower(backend.text);
  if (name.empty() || name == "no" || name == "false") return;
  const bool known = name == "inductor" || name == "aot_eager";
  if (!known && name != "true") reading.refuse(backend, "a backend that compile has no word for");
  // Of FSDP2, blocks are compiled in place; all else is wrapped.
  const char* wraps = of_fsdp2 && regional ? "" : ":wrap";
  reading.add(
      fmt::format("compile{}{}{}{}", known ? "=" + name : "", wraps, fullgraph ? ":fullgraph" : "", regional ? "" : "@model"),
      backend.where);
}

}  // namespace ordercheck
