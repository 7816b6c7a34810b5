#include "cli/shared/error_log.h"

#include <cctype>
#include <deque>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::cli {
namespace {

constexpr std::size_t kMostErrors = 1'000;
constexpr std::size_t kLongestLine = 2'000;
constexpr std::size_t kLastLines = 50;

// Strips the prefixes of torchrun and c10: "[rank0]:", "[default0]:", "[rank0]:[E1126 10:11:12.345 ProcessGroupNCCL.cpp:552]".
std::string_view without_prefix(std::string_view line) {
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == line.npos) return "";
    const std::size_t close = line[start] == '[' ? line.find(']', start) : line.npos;
    if (close == line.npos) return line;
    line.remove_prefix(close + 1);
    if (line.starts_with(':')) line.remove_prefix(1);
  }
}

// "torch.distributed.DistBackendError: ...", "AssertionError", or "Error: ..." from a program other than Python.
bool is_error(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_' || line[end] == '.'))
    ++end;
  const std::string_view word = line.substr(0, end);
  for (const std::string_view kind : {"Error", "Exception", "Interrupt", "Timeout", "Unsupported", "Exit"})
    if (word.ends_with(kind) && (end == line.size() || line[end] == ':')) return true;
  return line.find("Watchdog caught collective operation timeout") != line.npos;
}

// The frame in a line of a traceback, or "".
std::string frame_of(std::string_view line) {
  static const std::string_view file = "File \"", at = "\", line ", in = ", in ";
  const std::string_view text = trim(line);
  if (!text.starts_with(file)) return "";
  const std::size_t name_end = text.find(at);
  const std::size_t number_end = name_end == text.npos ? text.npos : text.find(in, name_end);
  if (number_end == text.npos) return "";
  std::string_view path = text.substr(file.size(), name_end - file.size());
  if (const std::size_t packages = path.rfind("site-packages/"); packages != path.npos)
    path.remove_prefix(packages + std::string_view("site-packages/").size());
  const std::size_t number = name_end + at.size();
  return fmt::format("{}:{} in {}", path, text.substr(number, number_end - number), text.substr(number_end + in.size()));
}

// Messages of different ranks often differ only in numbers.
std::string without_numbers(std::string_view text) {
  std::string made;
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) made += c;
  return made;
}

bool read_line(std::istream& log, std::string& line) {
  line.clear();
  bool any = false;
  for (int c = log.get(); c != std::istream::traits_type::eof(); c = log.get()) {
    any = true;
    if (c == '\n') break;
    if (line.size() < kLongestLine && c != '\r') line += static_cast<char>(c);
  }
  return any;
}

}  // namespace

std::vector<LoggedError> errors_in(std::istream& log) {
  std::vector<LoggedError> errors;
  std::deque<LoggedError> last;
  std::set<std::string> told;
  std::string line, frame;
  for (std::size_t number = 1; read_line(log, line); ++number) {
    const std::string_view text = trim(without_prefix(line));
    if (std::string found = frame_of(text); !found.empty()) {
      frame = std::move(found);
      continue;
    }
    if (text.empty()) continue;
    LoggedError error{.message = std::string(text), .line = number, .frame = ""};
    if (is_error(text)) {
      error.frame = std::move(frame);
      frame.clear();
      if (errors.size() < kMostErrors && told.insert(without_numbers(text)).second) errors.push_back(std::move(error));
    } else if (errors.empty()) {
      last.push_back(std::move(error));
      if (last.size() > kLastLines) last.pop_front();
    }
  }
  return errors.empty() ? std::vector<LoggedError>(last.begin(), last.end()) : errors;
}

}  // namespace ordercheck::cli
