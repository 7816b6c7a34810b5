// The head of a rule page, field by field.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rule/page.h"
#include "rule/rule.h"

namespace ordercheck {

// The fields of the head into `rule`, whose kind, slug and file are set. The first mistake ends it, as
// "<file>:<line>: ...".
Status read_head(const Page& page, Rule& rule);

}  // namespace ordercheck
