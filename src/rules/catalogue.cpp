#include "rules/catalogue.h"

#include <functional>
#include <string_view>
#include <tuple>

#include "rules/pattern.h"

namespace ordercheck {
namespace {

ItemKind made_kind(const Item& item, std::span<const Rule> pages) {
  ItemKind kind{.item = item, .scope = scope_of(item), .share = share_of(item), .parts = {}};
  kind.item.degrees.clear();
  for (const Rule& rule : pages) {
    const bool may_be_silenced = rule.kind == RuleKind::order || rule.kind == RuleKind::clash;
    kind.parts.push_back({.one = matches(rule.one, item),
                          .other = matches(rule.other, item),
                          .between = matches(rule.between, item),
                          .unless = may_be_silenced && matches(rule.unless, item)});
  }
  return kind;
}

}  // namespace

std::size_t Catalogue::ButForDegrees::hash(const Item& item) {
  const std::hash<std::string_view> hash_of;
  std::size_t hash = hash_of(item.name) ^ hash_of(item.mode) * 3;
  for (const Option& option : item.options) hash = hash * 31 + (hash_of(option.name) ^ hash_of(option.value) * 3);
  return hash;
}

bool Catalogue::ButForDegrees::equal(const Item& a, const Item& b) {
  return std::tie(a.name, a.mode, a.options, a.scope) == std::tie(b.name, b.mode, b.options, b.scope);
}

const ItemKind& Catalogue::kind_of(const Item& item) const {
  const std::lock_guard lock(mutex_);
  const auto known = kinds_.find(item);
  // An unordered_set never moves its elements, so references stay valid.
  return known != kinds_.end() ? *known : *kinds_.insert(made_kind(item, pages_)).first;
}

}  // namespace ordercheck
