#include "report/pages/docs.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/pages/page_data.h"
#include "report/pages/supported_view.h"
#include "report/pages/template.h"
#include "report/pages/traffic_view.h"
#include "report/pages/view_json.h"
#include "report/text/unified_diff.h"
#include "rules/check.h"
#include "rules/page_text.h"
#include "rules/render.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstallGuide = "docs/guide/install.md";

class Maker {
 public:
  Maker(const fs::path& root, const Sources& sources) : root_(root), sources_(sources), engines_(engine_runs_of(sources)) {}

  Result<std::string> render(const std::string& name, const nlohmann::json& data) const {
    const auto text = read_file(root_ / "report_templates" / "md" / name);
    if (!text) return text.error();
    return render_template(*text, data, "report_templates/md/" + name);
  }

  Result<PageContents> contents() const {
    if (auto checked = check_beside(sources_, engines_); !checked) return checked.error();
    return pages_of(sources_, engines_);
  }

  Result<std::vector<Document>> documents_of(const PageContents& pages) const {
    std::vector<Document> documents;
    const nlohmann::json ordering = ordering_data(pages);
    for (const auto& [path, name, data] :
         {std::tuple("docs/parallelism_ordering.md", "ordering.md", ordering),
          std::tuple("docs/pairs.md", "pairs.md", ordering), std::tuple("docs/messages.md", "messages.md", ordering),
          std::tuple("docs/clipping.md", "clipping.md", ordering),
          std::tuple("docs/experts_and_graphs.md", "experts_and_graphs.md", ordering),
          std::tuple("docs/projects.md", "projects.md", projects_data(pages)),
          std::tuple("docs/evidence.md", "evidence.md", evidence_data(pages)),
          std::tuple("rules/README.md", "rule_index.md", rule_index_data(pages))}) {
      auto contents = render(name, data);
      if (!contents) return contents.error();
      documents.push_back({.path = path, .contents = std::move(contents).value()});
    }
    for (const RulePage& rule : pages.rules) {
      auto contents = with_blocks(rule);
      if (!contents) return contents.error();
      documents.push_back({.path = rule.file, .contents = std::move(contents).value()});
    }
    return documents;
  }

  // The page as written by its author, with its claim in words after the title and the results of its runs appended.
  Result<std::string> with_blocks(const RulePage& rule) const {
    const auto read = read_file(root_ / rule.file);
    if (!read) return read.error();
    std::string written = *read;
    // A new page has no blocks yet: add empty ones.
    if (written.find(kBeginClaim) == std::string::npos) {
      const std::string title = fmt::format("\n# {}\n", rule.title);
      if (const auto at = written.find(title); at != std::string::npos)
        written.insert(at + title.size(), fmt::format("{}\n{}\n", kBeginClaim, kEndOfBlock));
    }
    if (written.find(kBeginRuns) == std::string::npos) written += fmt::format("\n{}\n{}\n", kBeginRuns, kEndOfBlock);
    const auto claim = render("rule_head.md", rule);
    if (!claim) return claim.error();
    const auto runs = render("rule.md", rule);
    if (!runs) return runs.error();
    const auto with_claim = with_block(written, kBeginClaim, *claim, rule.file);
    return with_claim ? with_block(*with_claim, kBeginRuns, *runs, rule.file) : with_claim;
  }

  Result<std::string> readme(const std::string& text, const PageContents& pages) const {
    const auto order = render("readme_order.md", ordering_data(pages));
    if (!order) return order.error();
    auto with_order = with_block(text, "<!-- begin: order -->", *order, "README.md");
    if (!with_order) return with_order;
    // Check the stack as `ordercheck check` does without --set, --config and --ranks.
    const Judge judge(sources_.rules, reader_target(sources_), sources_.observations, Job({}, {}));
    Report report = check(sources_.topics.sample, judge);
    report.target_assumed = true;
    const auto checked =
        render("readme_check.md", {{"stack", print(sources_.topics.sample)}, {"output", render_text(report, false)}});
    if (!checked) return checked.error();
    return with_block(*with_order, "<!-- begin: check -->", *checked, "README.md");
  }

  Result<std::string> install_guide(const std::string& text) const {
    const auto imported = load_frameworks(root_ / "matrix" / "frameworks" / "imported");
    if (!imported) return imported.error();
    const auto versions = render("install_versions.md", {{"projects", supported_projects(sources_, engines_)},
                                                         {"sources", imported_sources(*imported)}});
    if (!versions) return versions.error();
    return with_block(text, "<!-- begin: versions -->", *versions, kInstallGuide);
  }

 private:
  fs::path root_;
  const Sources& sources_;
  std::vector<EngineRuns> engines_;
};

Result<std::string> text_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::string();
  return read_file(path);
}

}  // namespace

Result<std::string> with_block(std::string_view text, std::string_view begin, std::string_view block, std::string_view file) {
  auto at = text.find(begin);
  if (at == std::string_view::npos) return std::string(text);
  at += begin.size();
  const auto end = text.find(kEndOfBlock, at);
  if (end == std::string_view::npos)
    return Error{fmt::format("{}: the block '{}' has no line '{}'; add it after the block", file, begin, kEndOfBlock)};
  return fmt::format("{}\n{}{}", text.substr(0, at), block, text.substr(end));
}

Result<std::vector<Document>> make_documents(const fs::path& root) {
  const auto sources = load_sources(root);
  if (!sources) return sources.error();
  const Maker maker(root, *sources);
  const auto pages = maker.contents();
  if (!pages) return pages.error();
  auto documents = maker.documents_of(*pages);
  if (!documents) return documents;
  const auto before = text_of(root / "README.md");
  if (!before) return before.error();
  if (!before->empty()) {
    auto readme = maker.readme(*before, *pages);
    if (!readme) return readme.error();
    documents->push_back({.path = "README.md", .contents = std::move(readme).value()});
  }
  const auto guide = text_of(root / kInstallGuide);
  if (!guide) return guide.error();
  if (!guide->empty()) {
    auto with_versions = maker.install_guide(*guide);
    if (!with_versions) return with_versions.error();
    documents->push_back({.path = kInstallGuide, .contents = std::move(with_versions).value()});
  }
  auto sorted = std::move(documents).value();
  std::ranges::sort(sorted, {}, &Document::path);
  return sorted;
}

Result<std::vector<std::string>> gaps_in_orders(const fs::path& root) {
  const auto sources = load_sources(root);
  if (!sources) return sources.error();
  std::vector<std::string> gaps;
  for (const RecommendedOrder& order : recommended_orders(*sources, that_decide(engine_runs_of(*sources))))
    gaps.insert(gaps.end(), order.gaps.begin(), order.gaps.end());
  return gaps;
}

Result<std::vector<Stale>> stale_documents(const fs::path& root, const std::vector<Document>& documents) {
  std::vector<Stale> stale;
  for (const Document& document : documents) {
    const auto there = text_of(root / document.path);
    if (!there) return there.error();
    if (*there != document.contents)
      stale.push_back({.path = document.path, .diff = unified_diff(*there, document.contents, document.path)});
  }
  return stale;
}

Result<std::vector<std::string>> write_documents(const fs::path& root, const std::vector<Document>& documents) {
  const auto stale = stale_documents(root, documents);
  if (!stale) return stale.error();
  std::vector<std::string> touched;
  for (const Stale& one : *stale) {
    const fs::path path = root / one.path;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    const auto found = std::ranges::find(documents, one.path, &Document::path);
    if (auto written = replace_file(path, found->contents); !written) return written.error();
    if (failed) return Error{fmt::format("cannot write {}: {}", path.string(), failed.message())};
    touched.push_back(one.path);
  }
  return touched;
}

}  // namespace ordercheck
