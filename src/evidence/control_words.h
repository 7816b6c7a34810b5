// What controls say of themselves, where a merge, or a part that is run anew, has to say it again.
#pragma once

#include <optional>
#include <string>

namespace ordercheck {

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
