#include "cli/shared/repro_script.h"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/shared/driver_answer.h"
#include "record/case_codec.h"
#include "record/schema.h"

namespace ordercheck::cli {
namespace {

// Importing torch takes up to a minute on a fully loaded machine.
constexpr std::chrono::seconds kLimit{120};

// nullopt if the answer lacks the format of repro/many.py.
std::optional<ReproScript> script_in(const nlohmann::json& answer, std::size_t pieces) {
  ReproScript script;
  if (!answer.is_object()) return std::nullopt;
  if (const auto declined = answer.find("declined"); declined != answer.end()) {
    if (!declined->is_string() || declined->get_ref<const std::string&>().empty()) return std::nullopt;
    script.declined = *declined;
    return script;
  }
  const auto list = answer.find("pieces");
  if (list == answer.end() || !list->is_array() || list->empty()) return std::nullopt;
  for (const nlohmann::json& index : *list) {
    if (!index.is_number_unsigned() || index.get<std::size_t>() >= pieces) return std::nullopt;
    script.pieces.push_back(index);
  }
  return script;
}

std::optional<ReproScripts> scripts_in(const nlohmann::json& answer, const std::vector<Case>& cases) {
  const auto pieces = answer.find("pieces"), scripts = answer.find("scripts");
  if (pieces == answer.end() || !pieces->is_array() || scripts == answer.end() || !scripts->is_array()) return std::nullopt;
  if (scripts->size() != cases.size()) return std::nullopt;
  ReproScripts read;
  for (const nlohmann::json& piece : *pieces) {
    if (!piece.is_string()) return std::nullopt;
    read.pieces.push_back(piece);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto script = script_in((*scripts)[i], read.pieces.size());
    if (!script) return std::nullopt;
    read.by_case.emplace(print(cases[i]), *std::move(script));
  }
  return read;
}

}  // namespace

Result<std::string> repro_script(const Case& c, const EngineSpec& engine) {
  return driver_answer(engine, {"repro"}, to_text(json_of(c)) + "\n", kLimit);
}

Result<ReproScripts> repro_scripts(const std::vector<Case>& cases, const EngineSpec& engine) {
  if (cases.empty()) return ReproScripts{};
  std::string lines;
  for (const Case& one : cases) lines += to_text(json_of(one)) + "\n";
  const auto written = driver_answer(engine, {"repros"}, lines, kLimit + std::chrono::seconds(cases.size()));
  if (!written) return written.error();
  const auto answer = parse_object(*written);
  if (!answer) return Error{fmt::format("{} engine: its scripts: {}", engine.name, answer.error().message)};
  auto scripts = scripts_in(*answer, cases);
  if (!scripts)
    return Error{
        fmt::format("{} engine: expected the pieces of {} scripts, got another object; is the driver of another "
                    "version than ordercheck?",
                    engine.name, cases.size())};
  return *std::move(scripts);
}

}  // namespace ordercheck::cli
