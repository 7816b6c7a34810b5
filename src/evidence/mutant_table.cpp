#include "evidence/mutant_table.h"

#include <algorithm>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "evidence/field.h"

namespace ordercheck {
namespace {

constexpr std::string_view kMutantsTitle = "# ordercheck mutants 1";
constexpr std::string_view kMutantsColumns = "mutant\tcase\tbreaks\ttwin\tverdict\tfirst\tmessage";
constexpr std::size_t kMutantsColumnCount = 7;

auto key_of(const MutantRun& run) { return std::tie(run.mutant, run.case_text); }

Result<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (const std::string& written : split(line, '\t')) {
    auto field = unescape_field(written);
    if (!field) return field.error();
    fields.push_back(*std::move(field));
  }
  return fields;
}

Status read_head(const std::vector<std::string>& words, MutantTable& table) {
  if (words.size() != 2)
    return Error{fmt::format("'{}' has {}, expected 1", words[0], counted(std::ssize(words) - 1, "value"))};
  if (words[0] == "# engine")
    table.engine = words[1];
  else if (words[0] == "# version")
    table.versions.push_back(words[1]);
  else if (words[0] == "# device")
    table.device = words[1];
  else
    return Error{fmt::format("unknown head '{}'; expected engine, version or device", words[0])};
  return Done{};
}

Result<Verdict> verdict_in(const std::string& field) {
  if (const auto verdict = find_named<Verdict>(field)) return *verdict;
  return Error{fmt::format("verdict '{}' is none of {}", field, join(all_names<Verdict>(), ", "))};
}

Result<MutantRun> read_run(const std::vector<std::string>& fields) {
  if (fields.size() != kMutantsColumnCount)
    return Error{fmt::format("{}, expected {}", counted(std::ssize(fields), "column"), static_cast<int>(kMutantsColumnCount))};
  const auto twin = verdict_in(fields[3]), verdict = verdict_in(fields[4]);
  if (!twin) return twin.error();
  if (!verdict) return verdict.error();
  return MutantRun{.mutant = fields[0],
                   .case_text = fields[1],
                   .breaks = fields[2],
                   .twin = *twin,
                   .verdict = *verdict,
                   .first = fields[5],
                   .message = fields[6]};
}

}  // namespace

std::string first_of(const Observation& seen) {
  if (seen.difference)
    return seen.difference->step == 0 ? seen.difference->what
                                      : fmt::format("{} of step {}", seen.difference->what, seen.difference->step);
  return seen.verdict == Verdict::ignored ? join(lost_items(seen), ", ") : place_of(seen);
}

const MutantRun* find_run(const MutantTable& table, std::string_view mutant, std::string_view case_text) {
  const auto found = std::ranges::find_if(
      table.rows, [&](const MutantRun& run) { return run.mutant == mutant && run.case_text == case_text; });
  return found == table.rows.end() ? nullptr : &*found;
}

std::string print_mutant_table(const MutantTable& table) {
  std::string text = fmt::format("{}\n# engine\t{}\n", kMutantsTitle, escape_field(table.engine));
  for (const std::string& version : table.versions) text += fmt::format("# version\t{}\n", escape_field(version));
  text += fmt::format("# device\t{}\n{}\n", escape_field(table.device), kMutantsColumns);
  std::vector<MutantRun> rows = table.rows;
  std::ranges::sort(rows, {}, key_of);
  for (const MutantRun& row : rows) {
    std::vector<std::string> fields{row.mutant,           row.case_text, row.breaks, name_of(row.twin),
                                    name_of(row.verdict), row.first,     row.message};
    for (std::string& field : fields) field = escape_field(field);
    text += join(fields, "\t") + "\n";
  }
  return text;
}

Result<MutantTable> parse_mutant_table(std::string_view text, const std::string& path) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::size_t at = 0;
  const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}:{}: {}", path, at + 1, one_line(what))}; };
  if (lines.empty() || lines[0] != kMutantsTitle)
    return wrong(fmt::format("expected '{}'; `ordercheck mutants run --write` writes the file", kMutantsTitle));
  MutantTable table;
  for (at = 1; at < lines.size() && lines[at].starts_with("# "); ++at) {
    const auto words = fields_of(lines[at]);
    if (!words) return wrong(words.error().message);
    if (const auto read = read_head(*words, table); !read) return wrong(read.error().message);
  }
  if (at == lines.size() || lines[at] != kMutantsColumns) return wrong("expected the line of column names");
  while (++at < lines.size()) {
    const auto fields = fields_of(lines[at]);
    if (!fields) return wrong(fields.error().message);
    auto run = read_run(*fields);
    if (!run) return wrong(run.error().message);
    if (!table.rows.empty() && key_of(table.rows.back()) >= key_of(*run))
      return wrong(fmt::format("'{}' on '{}' is not after '{}' on '{}': rows are sorted and each stands once", run->mutant,
                               run->case_text, table.rows.back().mutant, table.rows.back().case_text));
    table.rows.push_back(*std::move(run));
  }
  return table;
}

Result<MutantTable> load_mutant_table(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return MutantTable{};
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_mutant_table(*text, path.string());
}

}  // namespace ordercheck
