// The frame of a rule page: a head between two lines `+++`, a title, three sections. No field is read here.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ordercheck {

// What `ordercheck docs --write` writes at a page's end, between these lines. It is no part of the rule.
inline constexpr std::string_view kBeginRuns = "<!-- begin: runs -->";
inline constexpr std::string_view kEndOfBlock = "<!-- end -->";

struct Page {
  std::string head;    // TOML
  int head_line = 2;   // of the head's first line in the file
  std::string title;   // without "# "
  std::string flags;   // the text below "## What it flags", trimmed
  std::string why;     // below "## Why"
  std::string limits;  // below "## Limits"
};

// Verified, in this order: the opening and closing `+++`, the title, each section in its place and not empty, no other
// section. An error begins with "<file>:<line>: ".
Result<Page> parse_page(std::string_view text, std::string_view file);

}  // namespace ordercheck
