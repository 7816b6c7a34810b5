// Formats that are less than a file: words of a command line or of a page, and fields of a table.
#include <sstream>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/shared/engine_choice.h"
#include "cli/shared/error_log.h"
#include "fuzz/formats.h"
#include "record/evidence_fields.h"
#include "record/evidence_merge.h"
#include "record/evidence_table.h"
#include "rules/holds.h"

namespace ordercheck::fuzz {
namespace {

// One message, or a value that `print` writes so that it reads the same again.
template <class Read, class Print>
std::string check_round(std::string_view bytes, const Read& read, const Print& print) {
  const auto value = read(bytes);
  if (!value) return check_message(value.error().message);
  const std::string printed = print(*value);
  const auto again = read(printed);
  if (!again) return fmt::format("not readable once printed as '{}': {}", printed, again.error().message);
  return *again == *value ? "" : "not the same when printed and read again: " + printed;
}

std::string check_version(std::string_view bytes) {
  return check_round(bytes, parse_version, [](const Version& version) { return print(version); });
}

std::string check_holds(std::string_view bytes) {
  return check_round(bytes, parse_holds, [](const Holds& holds) { return print(holds); });
}

// Printed for people, with a blank before the version.
std::string check_target(std::string_view bytes) {
  const auto target = parse_target(bytes);
  if (!target) return check_message(target.error().message);
  return check_message(print(*target));
}

std::string check_shard(std::string_view bytes) {
  const auto shard = parse_shard(bytes);
  if (!shard) return "";
  if (shard->index < 1 || shard->index > shard->count) return "no part of the whole";
  return parse_shard(fmt::format("{}/{}", shard->index, shard->count)) == shard ? "" : "not the same when read again";
}

std::string check_control(std::string_view bytes) {
  const auto runs = parse_repeated_runs(std::string(bytes));
  if (!runs) return "";
  return parse_repeated_runs(repeated_runs_in_words(*runs)) == runs ? "" : "not the same when read again";
}

std::string check_fault(std::string_view bytes) {
  const auto fault = cli::parse_fault(bytes);
  if (!fault) return check_message(fault.error().message);
  const auto written = split(bytes, ':');
  if (fault->kind != written[0] || fault->module != written[2]) return "kind or module is not what was written";
  return fault->rank == *parse_integer(written[1]) ? "" : fmt::format("rank {} is not what was written", fault->rank);
}

std::string check_bits(std::string_view bytes) {
  const auto print_bits = [](const auto& bits) { return hex(bits); };
  if (std::string wrong = check_round(bytes, parse_bits64, print_bits); !wrong.empty()) return wrong;
  return check_round(bytes, parse_hash128, print_bits);
}

std::string check_field(std::string_view bytes) {
  std::string wrong = check_round(bytes, unescape_field, [](const std::string& text) { return escape_field(text); });
  if (wrong.empty()) wrong = check_round(bytes, parse_counters, print_counters);
  if (wrong.empty()) wrong = check_round(bytes, parse_collectives, print_collectives);
  if (wrong.empty()) wrong = check_round(bytes, parse_effects, print_effects);
  return wrong;
}

std::string check_log(std::string_view bytes) {
  std::istringstream log{std::string(bytes)};
  std::size_t last = 0;
  for (const cli::LoggedError& error : cli::errors_in(log)) {
    if (error.message.empty() || error.message.find('\n') != std::string::npos) return "a message of no line or of several";
    if (error.line <= last) return fmt::format("line {} behind line {}", error.line, last);
    last = error.line;
  }
  return "";
}

std::vector<std::string> version_corpus() { return {"2.11", "2.11.0+cpu", "2.15.0a0+git1f2e", "0"}; }
std::vector<std::string> holds_corpus() { return {"math", "pytorch>=2.6,<2.12", "pytorch-fsdp1<2.6", "native>=1", "jax"}; }
std::vector<std::string> target_corpus() { return {"pytorch", "native", "pytorch-2.11", "pytorch-fsdp1-2.6"}; }
std::vector<std::string> shard_corpus() { return {"1/1", "2/3", "10000/10000"}; }
std::vector<std::string> control_corpus() {
  return {"5 of 5 records have the digest of their second run",
          "1 of 2 records has the digest of its second run; the first that has not is tp=2,ac engine=pytorch"};
}
std::vector<std::string> fault_corpus() {
  return {"hang:1:layers.0.attention:backward", "skip_collective:0::7", "crash:0:layers.1"};
}
std::vector<std::string> bits_corpus() { return {"3ff0000000000000", "7ff8000000000000", "0123456789abcdef0123456789abcdef"}; }
std::vector<std::string> field_corpus() {
  return {"-",
          "\\-",
          "a\\tb\\nc\\\\",
          "matmul_flops=12 saved_bytes_peak=? kernels=3",
          "all_gather:tp:forward:24:98304",
          "tp=2: yes: 96 of 192 matmul flops | ac: no: missing: recomputation"};
}
std::vector<std::string> log_corpus() {
  return {"Traceback (most recent call last):\n  File \"a.py\", line 7, in main\n    loss.backward()\nValueError: no\n",
          "[rank3]:[E1126 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL\n"};
}

}  // namespace

std::vector<Format> word_formats() {
  return {
      {"version", check_version, version_corpus, ". 2 + - 99999999999999999999 2147483648 -1 0 a0 \t"},
      {"holds", check_holds, holds_corpus, ">= > <= < == , - math pytorch 2.6 2147483648 99999999999 \t"},
      {"target", check_target, target_corpus, "- . pytorch 2.6 2147483648 99999999999 \n"},
      {"shard", check_shard, shard_corpus, "/ 0 1 2 10000 10001 4294967297 9223372036854775807 -1 +1"},
      {"control", check_control, control_corpus, " of  records have ; the first that has not is 0 1 -1 9223372036854775808"},
      {"fault", check_fault, fault_corpus, ": hang crash backward 0 -1 2147483648 4294967296 9223372036854775808 \n \t"},
      {"log", check_log, log_corpus, "[ ] : [rank0]: ValueError: Error Exception File \", line , in  \n \r \t"},
      {"bits", check_bits, bits_corpus, "0 f F g 0000000000000000 - +"},
      {"field", check_field, field_corpus,
       "\t \n \\ - \\- = ? : | yes: no: partly: not stated matmul_flops=9223372036854775808 -1 all_gather:tp:forward:1:1"}};
}

}  // namespace ordercheck::fuzz
