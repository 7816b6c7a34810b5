// Parses the frame of a rule page: a head between lines `<!--` and `-->`, a title, three sections. Does not read fields.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// `ordercheck docs --write` writes the claim in words and the table of runs after these lines, up to kEndOfBlock. The parser skips
// every generated block: lines from "<!-- begin: ..." to kEndOfBlock.
inline constexpr std::string_view kBeginClaim = "<!-- begin: claim -->";
inline constexpr std::string_view kBeginRuns = "<!-- begin: runs -->";
inline constexpr std::string_view kEndOfBlock = "<!-- end -->";

struct Page {
  std::string head;    // TOML
  int head_line = 2;   // line of the head's first line in the file
  std::string title;   // without "# "
  std::string flags;   // the text below "## What it flags", trimmed
  std::string why;     // the text below "## Why"
  std::string limits;  // the text below "## Limits"
};

// Checks in this order: the lines around the head, the title, that each section is in place and not empty, and that there are no others.
// Errors begin with "<file>:<line>: ".
Result<Page> parse_page(std::string_view text, std::string_view file);

}  // namespace ordercheck
