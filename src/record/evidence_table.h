// Reads and writes evidence tables: the results of one build of an engine, one case per row, in
// matrix/evidence/<engine>/<build>.tsv.
//
//   # ordercheck evidence 4
//   # engine	native
//   # version	libtorch 2.11.0
//   # device	cpu
//   # arithmetic	exact
//   # shard	1/3                                  (only in a part of a matrix, never in a committed table)
//   # control	plain arithmetic	held	17 of 19 differ
//   case	verdict	ending	phase	module	operation	group	tensor	step	rank	expected	got	message	effects	counters	...
//   tp=2,fsdp=2	equal	completed	-	-	-	-	-	-	-	-	-	every loss ...	tp=2: yes: ...	matmul_flops=12 ...	...
//
// Tab separated. Tab, newline or backslash in a field is \t, \n, \\; an empty field is "-". The columns `tensor` to `got` are
// the first difference from the reference run, as hex of bits or hash. `sources` is the hash of the driver that ran the row
// (engine_sources.h). Rows are sorted by case. There is no clock, host or path: equal runs give equal bytes. Only `matrix run
// --write` writes tables.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/observation.h"

namespace ordercheck {

// A check that the matrix's comparison can fail, for example that layouts differ in plain arithmetic. Runs along with the
// cases.
struct Control {
  std::string name;      // "plain arithmetic"
  bool held = false;     // it showed that the comparison can fail
  std::string evidence;  // "17 of 19 differ"
  bool judged = true;    // false: no case could decide it, so it neither held nor failed
  friend bool operator==(const Control&, const Control&) = default;
};

struct EvidenceTable {
  std::string engine;                 // "native"
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::string device;                 // "cpu"
  std::string arithmetic = "exact";
  std::string shard;  // "1/3" for a part of a matrix, "" if committed
  std::vector<Control> controls;
  std::vector<Observation> rows;  // sorted by case_text, no duplicates
  friend bool operator==(const EvidenceTable&, const EvidenceTable&) = default;
};

// The PyTorch that a published project ran on: "torch 2.15.0" for versions "thing 1.2", "torch 2.15.0" and engine thing. "" for
// other engines.
std::string platform_of(const EvidenceTable& table);

// The file name without ".tsv": "libtorch-2.11.0-cpu", "libtorch-2.11.0-cpu-plain", "torchtitan-0.3.0-torch-2.15.0-cpu".
std::string build_of(const EvidenceTable& table);

// Whether the table's rows may grade rule pages, judge stacks and recommend orders. True for exact arithmetic on the CPU,
// where every case runs. Results of other devices are only reported.
bool decides(const EvidenceTable& head);

// Adds the rows of `part`, a rerun of some cases, to `table`; a row of the same case is replaced. Controls describe the full
// matrix, so the table keeps its own (exception: repeated runs, below). A table without controls takes the judged ones of
// `part`.
EvidenceTable with_part(EvidenceTable table, const EvidenceTable& part);

const Observation* find_row(const EvidenceTable& table, std::string_view case_text);  // null if there is none

// Converts a table to text and back. `path` names the file in errors: "<path>:12: verdict 'equals' is none of equal, ...".
std::string print_evidence(const EvidenceTable& table);
Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path);

// How much of an evidence row to parse. Judging one stack needs few rows, so the others are skipped to save time.
//   skip   nothing; the table comes without it      brief  all but effects, counters, collectives and digest
enum class Reading { skip, brief, whole };
// Decides how much of a row to parse, from the table's head and the row's case. Called first with an empty case: `skip` then
// skips the whole table.
using ReadingOf = std::function<Reading(const EvidenceTable& head, std::string_view case_text)>;
Result<EvidenceTable> parse_evidence(std::string_view text, const std::string& path, const ReadingOf& reading_of);

// matrix/evidence/<engine>/<build>.tsv below `folder` ("matrix/evidence"). Writing creates folders and replaces the whole file.
std::filesystem::path evidence_path(const std::filesystem::path& folder, const EvidenceTable& table);
Status write_evidence(const std::filesystem::path& folder, const EvidenceTable& table);

// Every table below `folder`, sorted by engine and build; empty if the folder does not exist.
Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder);
Result<std::vector<EvidenceTable>> read_evidence(const std::filesystem::path& folder, const ReadingOf& reading_of);

// Every table without its rows: reads only the `#` lines of each file.
Result<std::vector<EvidenceTable>> read_evidence_heads(const std::filesystem::path& folder);

// Computes the control "repeated runs" of a table after `part`, a rerun of some cases, is added. If a case of the part gave
// two different results, returns the part's control. If the part held and reran the one case that failed before, returns a
// passed control. Otherwise returns `of_table`.
Control with_repeated(Control of_table, const EvidenceTable& part);

// The evidence texts of controls. A merge or partial rerun parses and prints them again.

inline constexpr const char* kPlainArithmetic = "plain arithmetic";
inline constexpr const char* kRepeatedRuns = "repeated runs";

// "5 of 5 legal layouts differ from the single-rank reference without the grid".
std::string plain_arithmetic_in_words(long long differ, long long completed);

struct RepeatedRuns {
  long long alike = 0, twice = 0;  // cases that completed twice, and those with two equal records
  std::string first_unlike = "";   // the first case with two different records; "" if none
  friend bool operator==(const RepeatedRuns&, const RepeatedRuns&) = default;
};

// "1 of 2 records has the digest of its second run; the first that has not is tp=2", and back.
std::string repeated_runs_in_words(const RepeatedRuns& runs);
std::optional<RepeatedRuns> parse_repeated_runs(const std::string& words);

}  // namespace ordercheck
