// Says what messages of PyTorch and of frameworks mean, whether or not a run printed them. The texts are messages/*.toml, embedded
// in the program:
//
//   [[message]]
//   fragment = "have different metadata than during the forward pass"   # printed in every run, without numbers and names
//   also = ["[recomputed: halved]"]   # what the text has beside it, optional
//   unless = ["_dynamo"]              # what it has not, optional
//   means = "..."
//   cure = "..."
//   rules = ["ORD-029"]               # optional
//   url = "https://github.com/..."    # the thread from which the entry comes
//   date = "2025-07-29"               # optional
//
// Of entries with one fragment, the first that fits counts. Upper case, quotes, backquotes and line breaks do not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct KnownMessage {
  std::string fragment;
  std::vector<std::string> also, unless;
  std::string means, cure;
  std::vector<std::string> rules;
  std::string url, date;  // date: "" if unknown
};

// Errors are "<path>:<line>: ...".
Result<std::vector<KnownMessage>> parse_messages(std::string_view text, const std::string& path);

// The embedded messages. Parsed once; thread safe.
const std::vector<KnownMessage>& known_messages();

// Those that fit a pasted text of any length, in the order in which the text has them. Facts that a message has in numbers are
// read as words: "[recomputed: empty]", "[recomputed: halved]", "[recomputed: doubled]", "[recomputed: another size]",
// "[recomputed: another dtype]" of saved and recomputed metadata, "[sizes: a multiple]" of two sizes that must match.
std::vector<const KnownMessage*> messages_in(std::string_view text, const std::vector<KnownMessage>& known);

}  // namespace ordercheck
