// Reads the fields of a rule page's head.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/page_text.h"
#include "rules/rule.h"

namespace ordercheck {

// Parses the page's TOML head into `rule`, which must already have kind, slug and file. Returns the first mistake as an error:
// "<file>:<line>: ...".
Status read_head(const Page& page, Rule& rule);

}  // namespace ordercheck
