// Formats of machines: protocol lines, records and journals.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "fuzz/corpus.h"
#include "fuzz/formats.h"
#include "import/code/scan.h"
#include "matrix/journal.h"
#include "matrix/tensors.h"
#include "record/flight.h"
#include "record/schema.h"
#include "unit/record/samples.h"

namespace ordercheck::fuzz {
namespace {

namespace fs = std::filesystem;

std::string check_worker(std::string_view bytes) {
  const auto message = decode_worker(bytes);
  if (!message) return check_message(message.error().message);
  const std::string written = std::visit([](const auto& one) { return encode(one); }, *message);
  if (written.find('\n') != written.npos) return "a message of two lines";
  const auto again = decode_worker(written);
  if (!again) return "not readable once written: " + again.error().message;
  return std::visit([](const auto& one) { return encode(one); }, *again) == written ? "" : "not the same when written again";
}

std::string check_run(std::string_view bytes) {
  const auto run = decode_run(bytes);
  if (!run) return check_message(run.error().message);
  const auto again = decode_run(encode(*run));
  return again && *again == *run ? "" : "not the same when written and read again";
}

// NaN equals nothing, so texts are held against each other.
std::string check_record(std::string_view bytes) {
  const auto record = decode_record(bytes);
  if (!record) return check_message(record.error().message);
  (void)digest(*record);
  const std::string written = encode_record(*record);
  const auto again = decode_record(written);
  return again && encode_record(*again) == written ? "" : "not the same when written and read again";
}

fs::path journal_path() { return scratch_folder() / "journal"; }
fs::path flight_path() { return scratch_folder() / "flight"; }

JournalKey key() { return {.case_text = "tp=2", .engine = "fake", .content_hash = "1", .keep = Keep::hashes, .fault = {}}; }

// Whatever was read, the next line must go behind it and be found again.
std::string check_journal(std::string_view bytes) {
  const fs::path path = journal_path();
  if (!write_sample(path, bytes)) return "";
  std::size_t lines = 0;
  {
    const auto journal = Journal::open(path);
    if (!journal) return check_message(journal.error().message);
    lines = (*journal)->lines();
    if (const auto appended = (*journal)->append(key(), full_record()); !appended) return appended.error().message;
  }
  const auto again = Journal::open(path);
  if (!again) return "not readable once appended to: " + again.error().message;
  if ((*again)->lines() != lines + 1 || (*again)->dropped_torn_line()) return "a line was lost";
  return (*again)->take(key()) != nullptr ? "" : "the line that was appended is not found";
}

// A line whose check is right, whatever it says: damage to a journal's line ends at its check otherwise.
std::string check_signed_line(std::string_view bytes) {
  auto parsed = parse_object(bytes);
  if (!parsed) return check_message(parsed.error().message);
  nlohmann::json line = std::move(parsed).value();
  line.erase("check");
  line["check"] = hex(hash_of(to_text(line)));
  return check_journal(to_text(line) + "\n");
}

// Written by a program that was killed, at whatever place.
std::string check_flight(std::string_view bytes) {
  if (!write_sample(flight_path(), bytes)) return "";
  const auto slots = read_flight(flight_path());
  if (!slots) return check_message(slots.error().message);
  for (std::size_t rank = 0; rank < slots->size(); ++rank)
    if (std::string wrong = check_message(describe(static_cast<int>(rank), (*slots)[rank])); !wrong.empty()) return wrong;
  return "";
}

// A tensor that a rank left in a file and named in its record. Held against one that is whole, as a difference is told.
std::string check_values(std::string_view bytes) {
  const fs::path path = scratch_folder() / "values", whole = scratch_folder() / "whole";
  if (!write_sample(path, bytes) || !write_sample(whole, std::string(3 * sizeof(double), '\0'))) return "";
  const auto values = read_values(path.string());
  if (!values)
    if (std::string wrong = check_message(values.error().message); !wrong.empty()) return wrong;
  if (values && values->size() * sizeof(double) != bytes.size()) return "values were lost";
  Record expected = full_record(), got = expected;
  const TraceEntry entry{.step = 0, .phase = Phase::forward, .module = "layers.0", .shape = {3}, .file = whole.string()};
  expected.trace = {entry};
  got.trace = {entry};
  got.trace[0].file = path.string();
  got.trace[0].hash = hash_of(bytes);
  const auto divergence = first_divergence(expected, got);
  if (!divergence) return check_message(divergence.error().message);
  return *divergence && (*divergence)->differing > (*divergence)->elements ? "more differs than there is" : "";
}

std::vector<std::string> values_corpus() {
  std::vector<std::string> texts{""};
  for (const char value : {'\0', '\x3f', '\x7f'}) texts.push_back(std::string(3 * sizeof(double), value));
  return texts;
}

std::vector<std::string> flight_corpus() {
  const auto recorder = FlightRecorder::create(flight_path(), 3).value();
  recorder->at_step(0, 2, Phase::backward);
  recorder->at_module(0, Phase::backward, "layers.1.attention");
  recorder->at_collective(0, "all_gather", "tp", 7, "float64 [4, 24, 48]");
  recorder->finished(1);
  return {read_file(flight_path()).value()};
}

std::vector<std::string> worker_corpus() {
  return {encode(full_hello()), encode(Progress{.id = 3, .step = 1}), encode(Answer{.id = 3, .record = full_record()})};
}

std::vector<std::string> run_corpus() {
  Run plain = sample_run();
  plain.fault.reset();
  return {encode(sample_run()), encode(plain)};
}

std::vector<std::string> record_corpus() {
  Record whole = full_record();
  whole.ending = Ending::completed;
  whole.failure.reset();
  return {encode_record(full_record()), encode_record(whole)};
}

std::vector<std::string> journal_corpus() {
  std::vector<std::string> texts;
  const fs::path path = journal_path();
  for (int lines = 1; lines <= 3; ++lines) {
    fs::remove(path);
    {
      auto journal = Journal::open(path).value();
      for (int line = 0; line < lines; ++line) (void)journal->append(key(), full_record());
    }
    texts.push_back(read_file(path).value());
  }
  return texts;
}

std::vector<std::string> signed_line_corpus() {
  std::string line = journal_corpus().front();
  line.pop_back();
  return {line};
}

constexpr const char* kJsonWords =
    "{ } [ ] , : \" null true false 0 -1 1.5 1e400 9223372036854775807 9223372036854775808 2147483648 \"\" \"x\" {} [] \\u0000 "
    "\\ud800 "
    "\"\\n\" \"ending\" \"failure\" \"completed\" [[[[[[[[[[[[[[[[[[ 7ff8000000000000";

// What the reader of training code answers.
std::string check_scan(std::string_view bytes) {
  const auto code = parse_scan_answer(bytes);
  if (!code) return check_message(code.error().message);
  for (const ScannedStack& one : code->stacks)
    if (one.calls.size() != one.imported.stack.items.size()) return "an item without its call";
  return render_scan_json(*code).empty() || render_scan_text(*code).empty() ? "nothing is told" : "";
}

std::vector<std::string> scan_corpus() {
  return {
      R"json({"files": 1, "bad": [{"file": "b.py", "line": 2, "text": "is no Python"}], "left_out": [], "not_understood": [],
 "directives": [{"file": "a.py", "line": 2, "covers": 3, "text": "# ordercheck: ignore[ORD-1] r"}], "functions": [{"function": "f", "file": "a.py", "line": 1, "stacks": [{"where": "x", "items": [{"name": "fsdp", "mode": "",
 "degrees": "2", "options": [["reshard", "never"]], "scope": "model", "file": "a.py", "line": 3, "call": "shard",
 "call_file": "a.py", "call_line": 9, "condition": "y", "through": []}]}], "not_understood": [{"text": "g()", "file": "a.py",
 "line": 4, "why": "z"}]}]})json",
      R"json({"error": "it takes too long"})json", R"json({"error": ""})json"};
}

}  // namespace

std::vector<Format> protocol_formats() {
  return {{"worker", check_worker, worker_corpus, kJsonWords},
          {"run", check_run, run_corpus, kJsonWords},
          {"record", check_record, record_corpus, kJsonWords},
          {"journal", check_journal, journal_corpus, kJsonWords},
          {"signed_line", check_signed_line, signed_line_corpus, kJsonWords},
          {"flight", check_flight, flight_corpus,
           "\xff \x01 \x7f \n aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
          {"scan", check_scan, scan_corpus, kJsonWords},
          {"values", check_values, values_corpus, "\xff\xf0 \x7f\xf8 \x01 \x80 aaaaaaaa \xff\xff\xff\xff\xff\xff\xff\x7f"}};
}

}  // namespace ordercheck::fuzz
