// Reads rule pages: a TOML head between two lines `+++`, then Markdown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rule/rule.h"

namespace ordercheck {

// One page. `file` is its path as a reader knows it, "rules/order/fsdp-before-tp.md": the folder gives the kind, the name
// the slug, and both must agree with the head. An error begins with file and line: "rules/order/x.md:7: ...".
// Verified, in this order: the frame of the page (head, title, the three sections, none empty), the syntax of the head,
// every field (unknown ones with a suggestion), the id's prefix, the slug, the citations, the witness, the expectations.
Result<Rule> parse_rule(std::string_view text, std::string_view file);

// Every page of <folder>/<kind>/*.md, sorted by id. All bad pages are reported, one line each. Also verified: ids are
// unique, `implies` names rules that exist and are not retired, every page lies in the folder of a kind.
struct Pages {
  std::vector<Rule> rules;    // what is claimed: these alone fire, predict and are graded
  std::vector<Rule> retired;  // what was claimed once: to be read, and so that no id is used twice
};
Result<Pages> load_pages(const std::filesystem::path& folder);
Result<std::vector<Rule>> load_rules(const std::filesystem::path& folder);  // without the retired

const Rule* find_rule(const std::vector<Rule>& rules, std::string_view id_or_slug);  // null when there is none

// The newest version of a project that the pages speak of: a lower bound of `holds`, or an expectation. Nothing when no
// page names the project.
std::optional<Version> newest_known(const std::vector<Rule>& rules, std::string_view project);

}  // namespace ordercheck
