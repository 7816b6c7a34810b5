#include "report/pages/docs.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "check/check.h"
#include "check/render.h"
#include "report/pages/beside_view.h"
#include "report/pages/page_data.h"
#include "report/pages/template.h"
#include "report/pages/view_json.h"
#include "report/text/unified_diff.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

// Views link pages as docs/parallelism_ordering.md does: from another folder the way there is another.
std::string with_links_from(std::string text, std::string_view way) {
  for (const std::string_view link : {"](rules/", "](evidence/"})
    for (std::size_t at = 0; (at = text.find(link, at)) != std::string::npos; at += way.size() + link.size())
      text.insert(at + 2, way);
  return text;
}

class Maker {
 public:
  Maker(const fs::path& root, const Sources& sources)
      : templates_(root / "report_templates" / "md"), sources_(sources), engines_(engine_runs_of(sources)) {}

  Result<std::string> render(const std::string& name, const nlohmann::json& data) const {
    const auto text = read_file(templates_ / name);
    if (!text) return text.error();
    return render_template(*text, data, "report_templates/md/" + name);
  }

  Status add(std::vector<Document>& documents, const std::string& path, const std::string& name, const nlohmann::json& data,
             std::string_view way = "") const {
    auto contents = render(name, data);
    if (!contents) return contents.error();
    documents.push_back({.path = path, .contents = with_links_from(std::move(contents).value(), way)});
    return Done{};
  }

  Result<std::vector<Document>> pages() const {
    if (auto checked = check_beside(sources_, engines_); !checked) return checked.error();
    std::vector<Document> documents;
    const PageContents pages = pages_of(sources_, engines_);
    std::vector<Status> added{add(documents, "docs/parallelism_ordering.md", "ordering.md", ordering_data(pages)),
                              add(documents, "docs/projects.md", "projects.md", projects_data(pages)),
                              add(documents, "docs/evidence/README.md", "evidence_index.md", evidence_index_data(pages), "../"),
                              add(documents, "docs/evidence/compared.md", "compared.md", compared_data(pages), "../"),
                              add(documents, "docs/rules/README.md", "rule_index.md", rule_index_data(pages))};
    for (const EngineView& engine : pages.engines) {
      added.push_back(add(documents, "docs/evidence/" + engine.file, "evidence.md", engine, "../"));
      if (!engine.sends_file.empty())
        added.push_back(add(documents, "docs/evidence/" + engine.sends_file, "sends.md", sends_data(engine), "../"));
    }
    for (const RulePage& rule : pages.rules) added.push_back(add(documents, "docs/rules/" + rule.page, "rule.md", rule));
    for (const Status& one : added)
      if (!one) return one.error();
    return documents;
  }

  // What `check` prints.
  Result<std::string> readme(const std::string& text) const {
    // As `check` judges a stack without being told any size.
    const Judge judge(sources_.rules, reader_target(sources_), sources_.observations, Job({}, {}));
    const auto checked = render("readme_check.md", {{"stack", print(sources_.topics.sample)},
                                                    {"output", render_text(check(sources_.topics.sample, judge), false)}});
    if (!checked) return checked.error();
    return with_block(text, "check", *checked);
  }

 private:
  fs::path templates_;
  const Sources& sources_;
  std::vector<EngineRuns> engines_;
};

// Folders that hold nothing but generated pages.
constexpr const char* kGenerated[] = {"docs/rules", "docs/evidence"};

std::vector<std::string> pages_nobody_makes(const fs::path& root, const std::vector<Document>& documents) {
  std::vector<std::string> paths;
  for (const std::string folder : kGenerated) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(root / folder, failed)) {
      const std::string path = folder + "/" + entry.path().filename().string();
      if (std::ranges::find(documents, path, &Document::path) == documents.end()) paths.push_back(path);
    }
  }
  std::ranges::sort(paths);
  return paths;
}

Result<std::string> text_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::string();
  return read_file(path);
}

}  // namespace

Result<std::string> with_block(std::string_view text, std::string_view name, std::string_view block) {
  const std::string begin = fmt::format("<!-- begin: {} -->\n", name);
  const auto at = text.find(begin);
  if (at == std::string_view::npos) return std::string(text);
  const auto end = text.find("<!-- end -->", at);
  if (end == std::string_view::npos)
    return Error{fmt::format("README.md: the block '{}' has no line '<!-- end -->'; add it behind the block", name)};
  return fmt::format("{}{}{}", text.substr(0, at + begin.size()), block, text.substr(end));
}

Result<std::vector<Document>> make_documents(const fs::path& root) {
  const auto sources = load_sources(root);
  if (!sources) return sources.error();
  const Maker maker(root, *sources);
  auto documents = maker.pages();
  if (!documents) return documents;
  const auto before = text_of(root / "README.md");
  if (!before) return before.error();
  if (!before->empty()) {
    auto readme = maker.readme(*before);
    if (!readme) return readme.error();
    documents->push_back({.path = "README.md", .contents = std::move(readme).value()});
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
  for (const std::string& path : pages_nobody_makes(root, documents)) {
    const auto there = text_of(root / path);
    if (!there) return there.error();
    stale.push_back({.path = path, .diff = unified_diff(*there, "", path), .to_remove = true});
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
    if (one.to_remove) {
      fs::remove(path, failed);
    } else {
      fs::create_directories(path.parent_path(), failed);
      const auto found = std::ranges::find(documents, one.path, &Document::path);
      if (auto written = replace_file(path, found->contents); !written) return written.error();
    }
    if (failed) return Error{fmt::format("cannot write {}: {}", path.string(), failed.message())};
    touched.push_back(one.path);
  }
  return touched;
}

}  // namespace ordercheck
