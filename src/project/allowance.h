// What an [[allow]] entry of .ordercheck.toml is about, and until when.
#pragma once

#include <string_view>

#include "project/project_file.h"

namespace ordercheck {

// Whether the entry speaks of that rule in the stack of that name.
bool is_about(const Allow& allow, std::string_view stack, std::string_view rule);

// Its last day is before `today`, 2026-11-23.
bool has_expired(const Allow& allow, std::string_view today);

// The first entry about it that has not expired; else the first that has; null where there is none.
const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today);

}  // namespace ordercheck
