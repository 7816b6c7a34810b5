#include "project/allowance.h"

namespace ordercheck {

bool is_about(const Allow& allow, std::string_view stack, std::string_view rule) {
  return allow.rule == rule && (allow.stack.empty() || allow.stack == stack);
}

bool has_expired(const Allow& allow, std::string_view today) { return allow.until < today; }

const Allow* allowance_for(const Project& project, std::string_view stack, std::string_view rule, std::string_view today) {
  const Allow* expired = nullptr;
  for (const Allow& allow : project.allows) {
    if (!is_about(allow, stack, rule)) continue;
    if (!has_expired(allow, today)) return &allow;
    if (expired == nullptr) expired = &allow;
  }
  return expired;
}

}  // namespace ordercheck
