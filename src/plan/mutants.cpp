#include "plan/mutants.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

bool decides_against(Verdict verdict) {
  return contains(std::vector{Verdict::differs, Verdict::fails, Verdict::hangs, Verdict::ignored}, verdict);
}

Verdict verdict_of(TomlTable& keys) {
  const std::string written = keys.text("verdict");
  const auto verdict = find_named<Verdict>(written);
  if (verdict && decides_against(*verdict)) return *verdict;
  if (!written.empty()) keys.refuse("verdict", fmt::format("expected differs, fails, hangs or ignored, got '{}'", written));
  return Verdict::differs;
}

std::string class_of(TomlTable& keys, const std::vector<ErrorClass>& classes) {
  const std::string id = keys.text_if_given("imitates");
  std::vector<std::string> known;
  for (const ErrorClass& one : classes) known.push_back(one.id);
  if (!id.empty() && !contains(known, id))
    keys.refuse("imitates", fmt::format("there is no class '{}' of errors; {}", id, did_you_mean(id, known)));
  return id;
}

bool has_row(const std::vector<MutantRow>& rows, const MutantRow& row) {
  return std::ranges::any_of(rows,
                             [&](const MutantRow& one) { return one.mutant == row.mutant && one.subject == row.subject; });
}

// The table's row on each of its cases.
void add_rows(TomlTable& keys, const std::vector<ErrorClass>& classes, MutantRows& all) {
  MutantRow row{.mutant = keys.text("name"),
                .subject = {},
                .verdict = verdict_of(keys),
                .first = keys.text_if_given("first"),
                .imitates = class_of(keys, classes)};
  const std::vector<std::string> cases = keys.texts("cases");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto parsed = parse_case(cases[i]);
    if (!parsed) {
      keys.refuse("cases", i, split(parsed.error().message, '\n').front());
      continue;
    }
    row.subject = with_usual_arithmetic(*std::move(parsed));
    row.subject.engine = all.engine;
    if (row.subject.stack.items.empty())
      keys.refuse("cases", i,
                  fmt::format("'{}' has no transform: it is its own reference, and nothing would differ", cases[i]));
    if (has_row(all.rows, row)) keys.refuse("cases", i, fmt::format("'{}' stands on '{}' twice", row.mutant, cases[i]));
    all.rows.push_back(row);
  }
}

}  // namespace

Result<MutantRows> parse_mutant_rows(std::string_view text, const std::string& path, const std::vector<ErrorClass>& classes) {
  TomlTable keys(text, path);
  MutantRows all{.engine = keys.text("engine"), .rows = {}};
  for (TomlTable& mutant : keys.tables("mutant")) {
    add_rows(mutant, classes, all);
    keys.adopt(mutant);
  }
  if (auto error = keys.error()) return *error;
  return all;
}

fs::path mutant_rows_path(const fs::path& folder, const std::string& engine) { return folder / "mutants" / (engine + ".toml"); }

fs::path mutant_table_path(const fs::path& folder, const std::string& engine) { return folder / "mutants" / (engine + ".tsv"); }

Result<MutantRows> load_mutant_rows(const fs::path& folder, const std::string& engine) {
  const auto classes = load_error_classes(folder / "error_classes.toml");
  if (!classes) return classes.error();
  const fs::path path = mutant_rows_path(folder, engine);
  const auto text = read_file(path);
  if (!text) return text.error();
  auto rows = parse_mutant_rows(*text, path.string(), *classes);
  if (rows && rows->engine != engine)
    return Error{fmt::format("{}: expected engine '{}', as the file is called, got '{}'", path.string(), engine, rows->engine)};
  return rows;
}

std::vector<std::string> engines_with_mutants(const fs::path& folder) {
  std::vector<std::string> engines;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder / "mutants", failed))
    if (entry.path().extension() == ".toml") engines.push_back(entry.path().stem().string());
  std::ranges::sort(engines);
  return engines;
}

Sighting sighting_of(const MutantRow& expected, const MutantRun& run) {
  if (!decides_against(run.verdict)) return Sighting::missed;
  const bool there = run.verdict == expected.verdict && (expected.first.empty() || expected.first == run.first);
  return there ? Sighting::seen : Sighting::elsewhere;
}

const char* in_words(Sighting sighting) {
  switch (sighting) {
    case Sighting::seen: return "seen";
    case Sighting::elsewhere: return "seen elsewhere";
    case Sighting::missed: break;
  }
  return "NOT SEEN";
}

}  // namespace ordercheck
