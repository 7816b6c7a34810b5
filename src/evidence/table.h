// Evidence: what one engine showed, one case a line, in matrix/evidence/<engine>/<build>.tsv.
//
//   # ordercheck evidence 2
//   # engine	native
//   # version	libtorch 2.11.0
//   # device	cpu
//   # arithmetic	exact
//   # control	plain arithmetic	held	17 of 19 differ
//   case	verdict	ending	phase	place	operation	group	message	effects	counters	collectives
//   digest
//   tp=2,fsdp=2	equal	completed	-	-	-	-	-	tp=2: yes ...	matmul_flops=12 ...
//   all_gather:tp:forward:24:98304 ...	0f..
//
// Tab separated; a tab, newline or backslash inside a field is written \t, \n, \\; an empty field is "-". Rows are
// sorted by case. No clock, host or path: the same runs give the same bytes. Written by `matrix run --write` alone.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parity/verdict.h"

namespace ordercheck {

// A check on the comparison itself that ran along with the cases.
struct Control {
  std::string name;      // "plain arithmetic"
  bool held = false;     // it showed that the comparison can fail
  std::string evidence;  // "17 of 19 differ"
  bool judged = true;    // false: among the cases there was nothing to judge it by, and it neither held nor failed
  friend bool operator==(const Control&, const Control&) = default;
};

struct EvidenceRow {
  std::string case_text;  // as print(Case) gives it
  Verdict verdict = Verdict::unrun;
  Ending ending = Ending::completed;
  std::string phase;            // of a failure: "apply"; else ""
  std::string place;            // of a failure its module, of a difference its tensor: "gradient of tok_embeddings.weight, step
                                // 0"; else ""
  std::string operation;        // in flight at a failure: "all_gather"; else ""
  std::string group;            // mesh axis of a collective in flight: "tp"; else ""
  std::string message;          // the failure's own message, or the judgement's sentence; "" for equal
  std::vector<Effect> effects;  // one an item, in the order of the stack
  Counters counters;            // zero unless completed
  std::vector<CollectiveCount> collectives;  // of rank 0; none unless completed
  Hash128 digest;                            // of the first record
  friend bool operator==(const EvidenceRow&, const EvidenceRow&) = default;
};

struct EvidenceTable {
  std::string engine;                 // "native"
  std::vector<std::string> versions;  // "libtorch 2.11.0"
  std::string device;                 // "cpu"
  std::string arithmetic = "exact";
  std::vector<Control> controls;
  std::vector<EvidenceRow> rows;  // sorted by case_text, each once
  friend bool operator==(const EvidenceTable&, const EvidenceTable&) = default;
};

// "libtorch-2.11.0-cpu", "libtorch-2.11.0-cpu-plain": the file name without ".tsv".
std::string build_of(const EvidenceTable& table);

// The version that rules speak about: "2.11.0" of {"libtorch 2.11.0", ...}; "" when none was told.
std::string version_of(const std::vector<std::string>& versions);

// Where it failed or differs, as one text: "layers.0.attention, all_gather on tp"; "" where neither.
std::string place_in_words(const EvidenceRow& row);

const EvidenceRow* find_row(const EvidenceTable& table, std::string_view case_text);  // null when there is none

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

// The row that a judged record makes.
EvidenceRow evidence_row(const std::string& case_text, const Record& record, const Judgement& judgement);

}  // namespace ordercheck
