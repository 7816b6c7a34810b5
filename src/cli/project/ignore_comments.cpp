#include "cli/project/ignore_comments.h"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"

namespace ordercheck::cli {
namespace {

struct IgnoreComment {
  std::vector<std::string> ids;
  std::string reason;  // "" if the comment gives none
};

// nullopt if the text has another form than "# ordercheck: ignore[ID, ID] reason".
std::optional<IgnoreComment> parse_comment(std::string_view text) {
  constexpr std::string_view kIgnore = "ignore[";
  const std::string_view words = trim(text.substr(text.find(':') + 1));
  const std::size_t close = words.find(']');
  if (!words.starts_with(kIgnore) || close == words.npos) return std::nullopt;
  IgnoreComment comment{.ids = {}, .reason = std::string(trim(words.substr(close + 1)))};
  for (const std::string& id : split(words.substr(kIgnore.size(), close - kIgnore.size()), ','))
    comment.ids.emplace_back(trim(id));
  return contains(comment.ids, "") ? std::nullopt : std::optional(comment);
}

}  // namespace

Result<std::vector<Allow>> ignore_comments(const ScannedCode& code) {
  std::vector<Allow> allows;
  for (const Directive& one : code.directives) {
    const auto comment = parse_comment(one.text);
    const auto refused = [&](const std::string& expected) {
      return Error{fmt::format("{}:{}: expected {}, got '{}'", one_line(one.where.file), one.where.line, expected,
                               one_line(displayable(one.text)))};
    };
    if (!comment) return refused("'# ordercheck: ignore[ORD-004] reason', ids joined by commas");
    if (comment->reason.empty()) return refused("a reason after the ']' that says why the finding is accepted");
    for (const std::string& id : comment->ids)
      allows.push_back({.rule = id,
                        .stack = "",
                        .reason = comment->reason,
                        .until = "",
                        .line = one.where.line,
                        .file = one.where.file,
                        .covers = one.covers});
  }
  return allows;
}

}  // namespace ordercheck::cli
