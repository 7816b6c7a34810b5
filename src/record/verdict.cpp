#include "record/verdict.h"

#include <cmath>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/wording.h"

namespace ordercheck {
bool shows_parity(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close; }

std::optional<Numbers> numbers_of(const Difference& d) {
  const auto got = parse_bits64(d.got), expected = parse_bits64(d.expected);
  if (d.rank < 0 || !got || !expected) return std::nullopt;
  const auto [one, other] = in_decimals(value_of(*got), value_of(*expected));
  const double apart = std::abs(value_of(*got) - value_of(*expected));
  // Decimals of different bits are equal only if both are NaN.
  return Numbers{.got = one,
                 .expected = one == other ? "another NaN" : other,
                 .apart = std::isfinite(apart) ? fmt::format("{:.3g}", apart) : ""};
}

std::string in_words(const Difference& d, const std::string& against) {
  const std::string what =
      fmt::format("{} of step {}{}", d.what, d.step, d.rank >= 0 ? fmt::format(" on rank {}", d.rank) : "");
  if (const auto numbers = numbers_of(d))
    return fmt::format("{} is {}, {} has {}{}", what, numbers->got, against, numbers->expected,
                       numbers->apart.empty() ? "" : fmt::format(", {} apart", numbers->apart));
  if (parse_hash128(d.got) && parse_hash128(d.expected)) return fmt::format("{} is not that of {}", what, against);
  return fmt::format("{} is {}, {} has {}", what, d.got, against, d.expected);
}

std::string ending_in_words(const Record& record) {
  const char* word = record.ending == Ending::out_of_range ? "(range)" : name_of(record.ending);
  if (!record.failure) return word;
  const Failure& f = *record.failure;
  std::string place = name_of(f.phase);
  if (!f.module.empty()) place += ", " + f.module;
  if (!f.operation.empty()) place += ", in " + f.operation;
  if (!f.group.empty()) place += " on " + f.group;
  if (f.sequence >= 0) place += fmt::format(" #{}", f.sequence);
  if (f.rank >= 0) place += fmt::format(", rank {}", f.rank);
  const char* cause = record.ending == Ending::killed ? "; the kernel does that when memory runs out" : "";
  return fmt::format("{} ({}){}{}{}", word, place, f.message.empty() ? "" : ": ", f.message, cause);
}

}  // namespace ordercheck
