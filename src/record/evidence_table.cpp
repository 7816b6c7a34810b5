#include "record/evidence_table.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "record/evidence_fields.h"
#include "record/evidence_merge.h"

namespace ordercheck {
namespace {

constexpr std::string_view kTitle = "# ordercheck evidence 4";
constexpr std::string_view kColumns =
    "case\tverdict\tending\tphase\tmodule\toperation\tgroup\ttensor\tstep\trank\texpected\tgot\tmessage\teffects\tcounters\t"
    "collectives\tdigest\tsources";

// The index of each column.
struct Column {
  enum : std::size_t {
    kCase,
    kVerdict,
    kEnding,
    kPhase,
    kModule,
    kOperation,
    kGroup,
    kTensor,
    kStep,
    kRank,
    kExpected,
    kGot,
    kMessage,
    kEffects,
    kCounters,
    kCollectives,
    kDigest,
    kSources,
    kColumnCount
  };
};

std::string head_line(std::string_view key, std::string_view value) {
  return fmt::format("# {}\t{}\n", key, escape_field(value));
}

std::string print_row(const Observation& row) {
  std::vector<std::string> fields(Column::kColumnCount);
  fields[Column::kCase] = row.case_text;
  fields[Column::kVerdict] = name_of(row.verdict);
  fields[Column::kEnding] = name_of(row.ending);
  if (row.phase) fields[Column::kPhase] = name_of(*row.phase);
  fields[Column::kModule] = row.module;
  fields[Column::kOperation] = row.operation;
  fields[Column::kGroup] = row.group;
  if (row.difference) {
    fields[Column::kTensor] = row.difference->what;
    fields[Column::kStep] = std::to_string(row.difference->step);
    if (row.difference->rank >= 0) fields[Column::kRank] = std::to_string(row.difference->rank);
    fields[Column::kExpected] = row.difference->expected;
    fields[Column::kGot] = row.difference->got;
  }
  fields[Column::kMessage] = row.message;
  fields[Column::kEffects] = print_effects(row.effects);
  fields[Column::kCounters] = print_counters(row.counters);
  fields[Column::kCollectives] = print_collectives(row.collectives);
  fields[Column::kDigest] = hex(row.digest);
  fields[Column::kSources] = row.sources;
  for (std::string& field : fields) field = escape_field(field);
  return join(fields, "\t") + "\n";
}

// Returns the part of `text` before the first `separator` and removes it with the separator; all of `text` if there is none.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return first;
}

// Splits an evidence line into its fields. Reading::brief leaves effects, counters, collectives and digest empty.
Result<std::vector<std::string>> split_row(std::string_view line, Reading reading) {
  std::vector<std::string> fields;
  bool more = true;
  while (more) {
    more = line.find('\t') != std::string_view::npos;
    const std::string_view field = take(line, '\t');
    if (reading == Reading::brief && fields.size() >= Column::kEffects && fields.size() <= Column::kDigest) {
      fields.emplace_back();
      continue;
    }
    auto text = unescape_field(field);
    if (!text) return text.error();
    fields.push_back(std::move(text).value());
  }
  if (fields.size() != Column::kColumnCount)
    return Error{fmt::format("{}, expected {}: {} ...", counted(fields.size(), "column"),
                             static_cast<int>(Column::kColumnCount), kColumns.substr(0, 24))};
  return fields;
}

// Parses the column `step` or `rank`; -1 if the field is empty.
Result<int> parse_place(const std::string& field, const char* column) {
  if (field.empty()) return -1;
  const auto number = parse_integer(field);
  if (!number || *number < 0 || *number > 1'000'000'000)
    return Error{fmt::format("{} '{}' is no number of a {}", column, field, column)};
  return static_cast<int>(*number);
}

Status parse_difference(const std::vector<std::string>& fields, Observation& row) {
  const auto step = parse_place(fields[Column::kStep], "step"), rank = parse_place(fields[Column::kRank], "rank");
  if (!step) return step.error();
  if (!rank) return rank.error();
  if (fields[Column::kTensor].empty()) return Done{};
  if (*step < 0) return Error{fmt::format("'{}' differs in no step", fields[Column::kTensor])};
  row.difference = Difference{.what = fields[Column::kTensor],
                              .step = *step,
                              .rank = *rank,
                              .expected = fields[Column::kExpected],
                              .got = fields[Column::kGot]};
  return Done{};
}

// The entry "torch ..." of a project's versions. The first version is the project's own, so skip it.
std::string torch_beside(const std::vector<std::string>& versions) {
  for (std::size_t i = 1; i < versions.size(); ++i)
    if (versions[i].starts_with("torch ")) return versions[i];
  return "";
}

Result<Observation> parse_row(std::string_view line, const EvidenceTable& head, Reading reading) {
  const auto split = split_row(line, reading);
  if (!split) return split.error();
  const std::vector<std::string>& fields = *split;
  Observation row{.engine = head.engine,
                  .version = version_of(head.versions),
                  .on = torch_beside(head.versions),
                  .case_text = fields[Column::kCase],
                  .module = fields[Column::kModule],
                  .operation = fields[Column::kOperation],
                  .group = fields[Column::kGroup],
                  .message = fields[Column::kMessage]};
  if (row.case_text.empty()) return Error{"a row without a case"};
  const auto verdict = find_named<Verdict>(fields[Column::kVerdict]);
  if (!verdict)
    return Error{fmt::format("unknown verdict '{}'; expected equal, close, differs, fails, hangs, ignored, unstable or unrun",
                             fields[Column::kVerdict])};
  const auto ending = find_named<Ending>(fields[Column::kEnding]);
  if (!ending) return Error{fmt::format("ending '{}' is unknown", fields[Column::kEnding])};
  row.verdict = *verdict;
  row.ending = *ending;
  row.phase = find_named<Phase>(fields[Column::kPhase]);
  if (!row.phase && !fields[Column::kPhase].empty()) return Error{fmt::format("phase '{}' is unknown", fields[Column::kPhase])};
  row.sources = fields[Column::kSources];
  if (const auto read = parse_difference(fields, row); !read) return read.error();
  if (reading == Reading::brief) return row;
  auto effects = parse_effects(fields[Column::kEffects]);
  if (!effects) return effects.error();
  auto counters = parse_counters(fields[Column::kCounters]);
  if (!counters) return counters.error();
  auto collectives = parse_collectives(fields[Column::kCollectives]);
  if (!collectives) return collectives.error();
  auto digest = parse_hash128(fields[Column::kDigest]);
  if (!digest) return Error{fmt::format("digest '{}' is not 32 hex digits", fields[Column::kDigest])};
  row.effects = std::move(effects).value();
  row.counters = *counters;
  row.collectives = std::move(collectives).value();
  row.digest = *digest;
  return row;
}

Status parse_head(std::string_view line, EvidenceTable& table) {
  const auto words = split(line.substr(2), '\t');
  std::vector<std::string> values;
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto value = unescape_field(words[i]);
    if (!value) return value.error();
    values.push_back(*value);
  }
  const std::string& key = words[0];
  const std::size_t wanted = key == "control" ? 3 : 1;
  if (values.size() != wanted)
    return Error{fmt::format("'# {}' has {}, expected {}", key, counted(values.size(), "value"), wanted)};
  if (key == "engine")
    table.engine = values[0];
  else if (key == "version")
    table.versions.push_back(values[0]);
  else if (key == "device")
    table.device = values[0];
  else if (key == "arithmetic")
    table.arithmetic = values[0];
  else if (key == "shard" && parse_shard(values[0]))
    table.shard = values[0];
  else if (key == "shard")
    return Error{fmt::format("shard '{}' is not i/n with 1 <= i <= n", values[0])};
  else if (key == "control" && (values[1] == "held" || values[1] == "failed" || values[1] == "not judged"))
    table.controls.push_back(
        {.name = values[0], .held = values[1] == "held", .evidence = values[2], .judged = values[1] != "not judged"});
  else if (key == "control")
    return Error{fmt::format("control '{}' is '{}', expected held, failed or not judged", values[0], values[1])};
  else
    return Error{fmt::format("unknown head '# {}'; expected engine, version, device, arithmetic, shard or control", key)};
  return Done{};
}

// "libtorch 2.11.0+cpu" -> "libtorch-2.11.0+cpu"
std::string as_file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '+' && c != '_') c = '-';
  return text;
}

}  // namespace

std::string platform_of(const EvidenceTable& table) {
  return table.versions.size() > 1 && table.versions.front().starts_with(table.engine + " ") ? table.versions[1] : "";
}

std::string build_of(const EvidenceTable& table) {
  std::string build = table.versions.empty() ? "unknown" : table.versions.front();
  if (const std::string platform = platform_of(table); !platform.empty()) build += " " + platform;
  build = as_file_name(build);
  build += "-" + as_file_name(table.device);
  if (table.arithmetic != "exact") build += "-" + as_file_name(table.arithmetic);
  return build;
}

bool decides(const EvidenceTable& head) { return head.arithmetic == name_of(Arithmetic::exact) && head.device == "cpu"; }

EvidenceTable with_part(EvidenceTable table, const EvidenceTable& part) {
  // A map keeps the rows sorted by case.
  std::map<std::string, Observation> rows;
  for (Observation& row : table.rows) rows.insert_or_assign(row.case_text, std::move(row));
  for (const Observation& row : part.rows) rows.insert_or_assign(row.case_text, row);
  table.rows.clear();
  for (auto& [text, row] : rows) table.rows.push_back(std::move(row));
  for (Control& control : table.controls)
    if (control.name == kRepeatedRuns) control = with_repeated(std::move(control), part);
  if (table.controls.empty()) std::ranges::copy_if(part.controls, std::back_inserter(table.controls), &Control::judged);
  return table;
}

const Observation* find_row(const EvidenceTable& table, std::string_view case_text) {
  const auto found = std::ranges::find(table.rows, case_text, &Observation::case_text);
  return found == table.rows.end() ? nullptr : &*found;
}

std::string print_evidence(const EvidenceTable& table) {
  std::string text = std::string(kTitle) + "\n" + head_line("engine", table.engine);
  for (const auto& version : table.versions) text += head_line("version", version);
  text += head_line("device", table.device) + head_line("arithmetic", table.arithmetic);
  if (!table.shard.empty()) text += head_line("shard", table.shard);
  for (const auto& control : table.controls)
    text += fmt::format("# control\t{}\t{}\t{}\n", escape_field(control.name),
                        !control.judged ? "not judged"
                        : control.held  ? "held"
                                        : "failed",
                        escape_field(control.evidence));
  text += std::string(kColumns) + "\n";
  auto rows = table.rows;
  std::ranges::sort(rows, {}, &Observation::case_text);
  for (const auto& row : rows) text += print_row(row);
  return text;
}

Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path) {
  return parse_evidence(text, path, [](const EvidenceTable&, std::string_view) { return Reading::whole; });
}

Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path, const ReadingOf& reading_of) {
  EvidenceTable table;
  // Clear the default "exact", so that a missing line `# arithmetic` is an error.
  table.arithmetic.clear();
  const bool empty = text.empty();
  std::size_t number = 0;
  std::string_view line;
  const auto next = [&] {
    if (text.empty()) return false;
    line = take(text, '\n');
    ++number;
    return true;
  };
  const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}:{}: {}", path, number, one_line(what))}; };
  bool more = next();
  if (empty || line != kTitle) {
    number = 1;
    const bool other_format = line.starts_with("# ordercheck evidence ");
    return wrong(fmt::format("expected '{}'{}", kTitle,
                             other_format ? ", and it is of another version of ordercheck: remove it, and `ordercheck matrix "
                                            "run --write` writes it anew"
                                          : ""));
  }
  while ((more = next()) && line.starts_with("# "))
    if (auto status = parse_head(line, table); !status) return wrong(status.error().message);
  // If the file ends too early, report the line after its last one.
  if (!more) ++number;
  if (table.engine.empty() || table.arithmetic.empty()) return wrong("expected '# engine' and '# arithmetic' before the rows");
  if (!more || line != kColumns) return wrong("expected the line of column names");
  std::string_view before;
  while (next()) {
    const std::string_view case_text = line.substr(0, line.find('\t'));
    const Reading reading = reading_of(table, case_text);
    if (reading != Reading::skip) {
      auto row = parse_row(line, table, reading);
      if (!row) return wrong(row.error().message);
      table.rows.push_back(std::move(row).value());
    }
    if (!before.empty() && before >= case_text)
      return wrong(fmt::format("case '{}' is not after '{}': expected sorted rows, one per case", case_text, before));
    before = case_text;
  }
  return table;
}

Control with_repeated(Control of_table, const EvidenceTable& part) {
  const auto found = std::ranges::find(part.controls, std::string(kRepeatedRuns), &Control::name);
  if (found == part.controls.end() || !found->judged) return of_table;
  if (!found->held) return *found;
  const auto told = parse_repeated_runs(of_table.evidence);
  // The control's text names only the first case with two different records. If there are several, a rerun of that one proves
  // nothing.
  if (of_table.held || !told || told->twice - told->alike != 1) return of_table;
  const Observation* again = find_row(part, told->first_unlike);
  if (again == nullptr) return of_table;
  // If that case no longer completes, it has no second run and drops out of the count.
  const long long twice = again->ending == Ending::completed ? told->twice : told->alike;
  return {.name = of_table.name, .held = true, .evidence = repeated_runs_in_words({.alike = twice, .twice = twice})};
}

namespace {

constexpr std::string_view kUnlike = "; the first that has not is ";

}  // namespace

std::string plain_arithmetic_in_words(long long differ, long long completed) {
  return fmt::format("{} of {} {} from the single-rank reference without the grid", differ, counted(completed, "legal layout"),
                     differ == 1 ? "differs" : "differ");
}

std::string repeated_runs_in_words(const RepeatedRuns& runs) {
  return fmt::format("{} of {} {} the digest of {} second run{}{}", runs.alike, counted(runs.twice, "record"),
                     runs.alike == 1 ? "has" : "have", runs.alike == 1 ? "its" : "their",
                     runs.first_unlike.empty() ? "" : kUnlike, runs.first_unlike);
}

std::optional<RepeatedRuns> parse_repeated_runs(const std::string& words) {
  const auto parts = split(words, ' ');
  if (parts.size() < 3 || parts[1] != "of") return std::nullopt;
  const auto alike = parse_integer(parts[0]), twice = parse_integer(parts[2]);
  if (!alike || !twice || *alike < 0 || *twice < *alike) return std::nullopt;
  const std::size_t unlike = words.find(kUnlike);
  return RepeatedRuns{
      .alike = *alike, .twice = *twice, .first_unlike = unlike == words.npos ? "" : words.substr(unlike + kUnlike.size())};
}

}  // namespace ordercheck
