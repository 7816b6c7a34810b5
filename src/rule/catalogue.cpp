#include "rule/catalogue.h"

#include <bit>

#include "rule/pattern.h"
#include "stack/counter_random.h"

namespace ordercheck {
namespace {

constexpr std::size_t kWord = 64;

void add(PageBits& bits, std::size_t page) { bits[page / kWord] |= std::uint64_t{1} << (page % kWord); }

// Which sets a page is in.
void sort_in(const Rule& rule, std::size_t page, Catalogue::Sets& sets) {
  if (rule.when) add(sets.conditional, page);
  switch (rule.kind) {
    case RuleKind::order:
      add(sets.in_order, page);
      if (!rule.between.any_of.empty()) add(sets.with_between, page);
      return;
    case RuleKind::clash: add(sets.either_way, page); return;
    case RuleKind::commutes: add(sets.commutes, page); return;
    case RuleKind::needs:
    case RuleKind::fits:
    case RuleKind::effect: break;
  }
  if (rule.one.any_of.empty()) {
    add(sets.of_no_item, page);
  } else if (rule.kind == RuleKind::needs) {
    add(sets.missing, page);
  } else if (rule.kind == RuleKind::effect && !rule.other.any_of.empty()) {
    add(sets.either_way, page);
    add(sets.of_partner, page);
  } else {
    add(sets.lone, page);
  }
}

}  // namespace

std::vector<std::size_t> places_in(const PageBits& bits) {
  std::vector<std::size_t> places;
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      places.push_back(word * kWord + static_cast<std::size_t>(std::countr_zero(left)));
  return places;
}

Catalogue::Catalogue(std::span<const Rule> pages) : pages_(pages), words_((pages.size() + kWord - 1) / kWord) {
  for (PageBits* set : {&sets_.in_order, &sets_.either_way, &sets_.of_partner, &sets_.lone, &sets_.missing, &sets_.of_no_item,
                        &sets_.commutes, &sets_.with_between, &sets_.conditional})
    set->resize(words_);
  for (std::size_t page = 0; page < pages_.size(); ++page) sort_in(pages_[page], page, sets_);
  for (std::size_t one = 0; one < kScopes; ++one)
    for (std::size_t other = 0; other < kScopes; ++other) {
      related_[one][other].resize(words_);
      for (std::size_t page = 0; page < pages_.size(); ++page)
        if (ordercheck::related(static_cast<Scope>(one), static_cast<Scope>(other), pages_[page].scopes))
          add(related_[one][other], page);
    }
}

// FNV-1a, a byte at a time: names are short.
std::size_t Catalogue::ByItem::operator()(const Item& item) const {
  std::uint64_t hash = key(item.name) ^ key(item.mode) * 3;
  for (const Option& option : item.options) hash = (hash ^ key(option.name)) * 31 + key(option.value);
  return item.scope ? hash ^ (1 + static_cast<std::uint64_t>(*item.scope)) : hash;
}

bool Catalogue::ByItem::operator()(const Item& a, const Item& b) const {
  return a.name == b.name && a.mode == b.mode && a.options == b.options && a.scope == b.scope;
}

const ItemKind& Catalogue::kind_of(const Item& item) const {
  const std::lock_guard lock(mutex_);
  const auto known = kinds_.find(item);
  return known != kinds_.end() ? *known : *kinds_.insert(made_kind(item)).first;
}

ItemKind Catalogue::made_kind(const Item& item) const {
  ItemKind kind{
      .item = item, .scope = scope_of(item), .share = share_of(item), .one = {}, .other = {}, .between = {}, .unless = {}};
  kind.item.degrees.clear();
  for (auto* bits : {&kind.one, &kind.other, &kind.between, &kind.unless}) bits->resize(words_);
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    const Rule& rule = pages_[page];
    if (matches(rule.one, item)) add(kind.one, page);
    if (matches(rule.other, item)) add(kind.other, page);
    if (matches(rule.between, item)) add(kind.between, page);
    const bool may_be_silenced = rule.kind == RuleKind::order || rule.kind == RuleKind::clash;
    if (may_be_silenced && matches(rule.unless, item)) add(kind.unless, page);
  }
  return kind;
}

}  // namespace ordercheck
