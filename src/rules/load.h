// Reads rule pages: a TOML head in an HTML comment, which GitHub does not show, then Markdown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rules/rule.h"

namespace ordercheck {

// Parses one page. `file` is its path, "rules/order/fsdp-before-tp.md": the folder gives the kind, the name the slug, and both
// must agree with the head. Errors begin with file and line: "rules/order/x.md:7: ...". Checks in this order: frame (head,
// title, three nonempty sections), syntax of the head, fields (unknown ones with a suggestion), id prefix, slug, citations,
// witness, expectations.
Result<Rule> parse_rule(std::string_view text, std::string_view file);

// Loads every page of <folder>/<kind>/*.md, sorted by id. Reports all bad pages, one line each. Also checks that ids are
// unique, that `implies` names active rules, and that every page is in the folder of a kind.
struct Pages {
  std::vector<Rule> rules;    // active claims: only these fire, predict and are graded
  std::vector<Rule> retired;  // former claims: kept for readers, and so that ids are not reused
};
Result<Pages> load_pages(const std::filesystem::path& folder);
Result<std::vector<Rule>> load_rules(const std::filesystem::path& folder);  // without retired ones

const Rule* find_rule(const std::vector<Rule>& rules, std::string_view id_or_slug);  // null if there is none

// The newest version of a project that any page names, as a lower bound in `holds` or in an [[expect]] entry; nullopt if no
// page names the project.
std::optional<Version> newest_known(const std::vector<Rule>& rules, std::string_view project);

}  // namespace ordercheck
