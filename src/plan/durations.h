// How long cases took, so that shards take alike long: matrix/durations/<engine>.tsv, a case and its seconds a line, sorted. It
// is no evidence: the clock of one machine, rounded to a power of two, so that another machine writes much the same file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

using Durations = std::map<std::string, double>;  // seconds by the text of a case

std::filesystem::path durations_path(const std::filesystem::path& folder, const std::string& engine);

std::string print_durations(const Durations& durations);
Result<Durations> parse_durations(std::string_view text, const std::string& path);  // `path` names the file in errors
Result<Durations> load_durations(const std::filesystem::path& path);                // none where there is no file

// To a power of two, at least 1/8.
double rounded_seconds(double seconds);

// What was measured now, rounded. What was recorded stays where the new one is at most twice or at least half of it: a busy machine
// must not reshuffle shards.
Durations with_measured(Durations recorded, const Durations& measured);

// Of a case that was never measured: the median of those that were; 1 where none was.
double median_of(const Durations& durations);

}  // namespace ordercheck
