#include "rules/known_messages.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstdint>
#include <optional>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {
namespace {

struct MessageText {
  const char* name;
  const char* text;
};
constexpr MessageText kMessageTexts[] = {
#include "rules/message_texts.inc"
};

constexpr std::size_t kLongestText = 1 << 20;  // of a log, the end

// What a paste or another release may write differently: case, quotes and backquotes, line breaks.
std::string plain(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '`' || c == '\'' || c == '"') continue;
    if (std::isspace(byte) == 0)
      made += static_cast<char>(std::tolower(byte));
    else if (!made.empty() && made.back() != ' ')
      made += ' ';
  }
  return made;
}

struct Metadata {
  std::vector<std::int64_t> shape;
  std::string dtype;
};

// Of "saved metadata: {shape: torch.size([2, 3]), dtype: torch.float32, ...", in plain text.
std::optional<Metadata> metadata_of(const std::string& text, const std::string& kind, std::size_t from) {
  static const std::regex form(R"(metadata: \{shape: [a-z.]*\(\[([0-9, ]*)\]\), dtype: ([a-z0-9_.]+))");
  const std::size_t at = text.find(kind + " metadata: {", from);
  if (at == text.npos) return std::nullopt;
  std::smatch found;
  const std::string part = text.substr(at, 300);
  if (!std::regex_search(part, found, form)) return std::nullopt;
  Metadata made{.shape = {}, .dtype = found[2]};
  for (const std::string& size : split(found[1].str(), ','))
    if (const auto number = parse_integer(trim(size))) made.shape.push_back(*number);
  return made;
}

std::string fact_of(const Metadata& saved, const Metadata& again) {
  if (again.shape == std::vector<std::int64_t>{0} && saved.shape != again.shape) return "[recomputed: empty]";
  if (saved.shape.size() != again.shape.size()) return "[recomputed: another shape]";
  std::vector<std::pair<std::int64_t, std::int64_t>> differing;
  for (std::size_t at = 0; at < saved.shape.size(); ++at)
    if (saved.shape[at] != again.shape[at]) differing.emplace_back(saved.shape[at], again.shape[at]);
  if (differing.empty()) return saved.dtype == again.dtype ? "" : "[recomputed: another dtype]";
  const auto all = [&](auto fits) { return std::ranges::all_of(differing, fits); };
  if (all([](const auto& one) { return one.first == 2 * one.second; })) return "[recomputed: halved]";
  if (all([](const auto& one) { return 2 * one.first == one.second; })) return "[recomputed: doubled]";
  return "[recomputed: another size]";
}

// The facts of a plain text, as words to add to it.
std::string facts_of(const std::string& text) {
  std::string facts;
  if (const auto saved = metadata_of(text, "saved", 0))
    if (const auto again = metadata_of(text, "recomputed", text.find("saved metadata: {"))) facts = fact_of(*saved, *again);
  static const std::regex sizes(R"(size of tensor a \((\d{1,15})\) must match the size of tensor b \((\d{1,15})\))");
  if (std::smatch found; std::regex_search(text, found, sizes)) {
    const std::int64_t a = std::stoll(found[1]), b = std::stoll(found[2]);
    const auto [small, large] = std::minmax(a, b);
    if (small > 1 && large % small == 0) facts += "[sizes: a multiple]";
  }
  return facts;
}

}  // namespace

Result<std::vector<KnownMessage>> parse_messages(std::string_view text, const std::string& path) {
  TomlTable file(text, path);
  std::vector<KnownMessage> messages;
  for (TomlTable& table : file.tables("message")) {
    messages.push_back({.fragment = table.text("fragment"),
                        .also = table.texts_if_given("also"),
                        .unless = table.texts_if_given("unless"),
                        .means = table.text("means"),
                        .cure = table.text("cure"),
                        .rules = table.texts_if_given("rules"),
                        .url = table.url_if_given("url"),
                        .date = table.date_if_given("date")});
    file.adopt(table);
  }
  if (auto error = file.error()) return *error;
  return messages;
}

const std::vector<KnownMessage>& known_messages() {
  static const std::vector<KnownMessage> all = [] {
    std::vector<KnownMessage> made;
    for (const MessageText& one : kMessageTexts) {
      auto messages = parse_messages(one.text, fmt::format("messages/{}.toml", one.name));
      assert(messages && "tests/unit/rules/known_messages_test.cpp reads every file");
      if (messages) made.insert(made.end(), messages->begin(), messages->end());
    }
    return made;
  }();
  return all;
}

std::vector<const KnownMessage*> messages_in(std::string_view text, const std::vector<KnownMessage>& known) {
  const std::string message = plain(text.substr(text.size() - std::min(text.size(), kLongestText)));
  const std::string facts = facts_of(message);
  const auto has = [&](const std::string& part) {
    const std::string words = plain(part);
    return message.find(words) != message.npos || facts.find(words) != facts.npos;
  };
  std::vector<std::pair<std::size_t, const KnownMessage*>> found;
  for (const KnownMessage& one : known) {
    const std::size_t at = message.find(plain(one.fragment));
    const auto is_same = [&](const auto& other) { return other.second->fragment == one.fragment; };
    if (at == message.npos || std::ranges::any_of(found, is_same)) continue;
    if (std::ranges::all_of(one.also, has) && std::ranges::none_of(one.unless, has)) found.emplace_back(at, &one);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, const KnownMessage*>::first);
  std::vector<const KnownMessage*> messages;
  for (const auto& [at, one] : found) messages.push_back(one);
  return messages;
}

}  // namespace ordercheck
