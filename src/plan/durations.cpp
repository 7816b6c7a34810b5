#include "plan/durations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace ordercheck {
namespace {

constexpr std::string_view kDurationsTitle = "# ordercheck durations 1";
constexpr std::string_view kDurationsColumns = "case\tseconds";
constexpr double kLeast = 0.125, kMost = 1 << 20;

}  // namespace

std::filesystem::path durations_path(const std::filesystem::path& folder, const std::string& engine) {
  return folder / (engine + ".tsv");
}

std::string print_durations(const Durations& durations) {
  std::string text = fmt::format("{}\n{}\n", kDurationsTitle, kDurationsColumns);
  for (const auto& [name, seconds] : durations) text += fmt::format("{}\t{}\n", name, seconds);
  return text;
}

Result<Durations> parse_durations(std::string_view text, const std::string& path) {
  const auto lines = split(text, '\n');
  if (lines.size() < 2 || lines[0] != kDurationsTitle || lines[1] != kDurationsColumns)
    return Error{fmt::format("{}:1: expected '{}' and 'case<tab>seconds'", path, kDurationsTitle)};
  Durations durations;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (lines[i].empty() && i + 1 == lines.size()) break;
    const auto fields = split(lines[i], '\t');
    double seconds = 0;
    const bool two = fields.size() == 2 && !fields[0].empty();
    const char* end = two ? fields[1].data() + fields[1].size() : nullptr;
    if (!two || std::from_chars(fields[1].data(), end, seconds).ptr != end || !(seconds >= kLeast && seconds <= kMost))
      return Error{
          fmt::format("{}:{}: expected a case, a tab and its seconds from {} to {}, got '{}'; `ordercheck matrix run "
                      "--durations` writes the file",
                      path, i + 1, kLeast, kMost, one_line(lines[i]))};
    if (!durations.emplace(fields[0], seconds).second)
      return Error{fmt::format("{}:{}: case '{}' stands twice", path, i + 1, one_line(fields[0]))};
  }
  return durations;
}

Result<Durations> load_durations(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Durations{};
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_durations(*text, path.string());
}

double rounded_seconds(double seconds) { return std::exp2(std::round(std::log2(std::clamp(seconds, kLeast, kMost)))); }

Durations with_measured(Durations recorded, const Durations& measured) {
  for (const auto& [name, seconds] : measured) {
    const double now = rounded_seconds(seconds);
    const auto [entry, is_new] = recorded.emplace(name, now);
    if (!is_new && (now > 2 * entry->second || 2 * now < entry->second)) entry->second = now;
  }
  return recorded;
}

double median_of(const Durations& durations) {
  if (durations.empty()) return 1;
  std::vector<double> seconds;
  for (const auto& [name, one] : durations) seconds.push_back(one);
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

}  // namespace ordercheck
