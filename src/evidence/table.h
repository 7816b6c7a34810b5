// Evidence: the observations of one build of an engine, one case a line, in matrix/evidence/<engine>/<build>.tsv.
//
//   # ordercheck evidence 4
//   # engine	native
//   # version	libtorch 2.11.0
//   # device	cpu
//   # arithmetic	exact
//   # shard	1/3                                  (of a part alone: which it is; a committed table has none)
//   # control	plain arithmetic	held	17 of 19 differ
//   case	verdict	ending	phase	module	operation	group	tensor	step	rank	expected	got	message	effects	counters	...
//   tp=2,fsdp=2	equal	completed	-	-	-	-	-	-	-	-	-	every loss ...	tp=2: yes: ...	matmul_flops=12 ...	...
//
// Tab separated; a tab, newline or backslash inside a field is written \t, \n, \\; an empty field is "-". `tensor` to `got`
// are the first difference: hex of bits or hash. `sources` is the hash of the driver that ran the row (engine_sources.h). Rows are
// sorted by case. No clock, host or path: the same runs give the same bytes. Written by `matrix run --write` alone.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/observation.h"

namespace ordercheck {

// A check on the comparison itself that ran along with the cases.
struct Control {
  std::string name;      // "plain arithmetic"
  bool held = false;     // it showed that the comparison can fail
  std::string evidence;  // "17 of 19 differ"
  bool judged = true;    // false: among the cases there was nothing to judge it by, and it neither held nor failed
  friend bool operator==(const Control&, const Control&) = default;
};

struct EvidenceTable {
  std::string engine;                 // "native"
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::string device;                 // "cpu"
  std::string arithmetic = "exact";
  std::string shard;  // "1/3" of a part of a matrix, "" of what is committed
  std::vector<Control> controls;
  std::vector<Observation> rows;  // sorted by case_text, each once
  friend bool operator==(const EvidenceTable&, const EvidenceTable&) = default;
};

// What the release of a published project ran on: "torch 2.15.0" of the versions "thing 1.2", "torch 2.15.0" and the engine thing. ""
// of an engine that is no such project.
std::string platform_of(const EvidenceTable& table);

// "libtorch-2.11.0-cpu", "libtorch-2.11.0-cpu-plain", "torchtitan-0.3.0-torch-2.15.0-cpu": the file name without ".tsv".
std::string build_of(const EvidenceTable& table);

// Whether its rows grade pages, judge stacks and recommend orders: those in exact arithmetic on the CPU, where every case is run. What
// another device showed is told beside it; its counters and messages are not held against a CPU's.
bool decides(const EvidenceTable& head);

// A table with a part of its rows run anew, or added: they replace those of the same case. Controls are of a whole matrix, so the
// table keeps its own, but for repeated runs (below); one that has none takes those that the part could judge.
EvidenceTable with_part(EvidenceTable table, const EvidenceTable& part);

const Observation* find_row(const EvidenceTable& table, std::string_view case_text);  // null when there is none

// Text of a table and back. `path` names the file in errors: "<path>:12: verdict 'equals' is none of equal, ...".
std::string print_evidence(const EvidenceTable& table);
Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path);

// How much of a row is read. Who asks about one stack needs few rows: the rest is passed over unread, so that the answer
// does not wait for tables that have no part in it.
//   skip   not at all; the table is returned without it      brief  all but effects, counters, collectives and digest
enum class Reading { skip, brief, whole };
// Told the table's head and the case of a row. Asked first with an empty case: skip then passes over the whole table.
using ReadingOf = std::function<Reading(const EvidenceTable& head, std::string_view case_text)>;
Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path, const ReadingOf& reading_of);

// matrix/evidence/<engine>/<build>.tsv below `folder` ("matrix/evidence"); made with its folders, replaced whole.
std::filesystem::path evidence_path(const std::filesystem::path& folder, const EvidenceTable& table);
Status write_evidence(const std::filesystem::path& folder, const EvidenceTable& table);

// Every table below `folder`, sorted by engine and build; none when the folder does not exist.
Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder);
Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder, const ReadingOf& reading_of);

// The same without a row, for who is there: only the first lines of each are read.
Result<std::vector<EvidenceTable>> read_evidence_heads(const std::filesystem::path& folder);

// The control "repeated runs" of a table of which a part was run anew.

// A part in which a case was unlike itself fails the table: the part's control stands for it. A part that held clears a table's
// where the one case that was unlike itself is among its rows. Else the table's own.
Control with_repeated(Control of_table, const EvidenceTable& part);

// What controls say of themselves, where a merge, or a part that is run anew, has to say it again.

inline constexpr const char* kPlainArithmetic = "plain arithmetic";
inline constexpr const char* kRepeatedRuns = "repeated runs";

// "5 of 5 legal layouts differ from the single-rank reference without the grid".
std::string plain_arithmetic_in_words(long long differ, long long completed);

struct RepeatedRuns {
  long long alike = 0, twice = 0;  // records like their second run, of those that completed twice
  std::string first_unlike = "";   // a case, "" where all are alike
  friend bool operator==(const RepeatedRuns&, const RepeatedRuns&) = default;
};

// "1 of 2 records has the digest of its second run; the first that has not is tp=2", and back.
std::string repeated_runs_in_words(const RepeatedRuns& runs);
std::optional<RepeatedRuns> parse_repeated_runs(const std::string& words);

}  // namespace ordercheck
