// What one new rule changes on the generated pages: what rules say of runs stands on one page, so that the pages of the engines
// and threads stay as they are.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "form/source_tree.h"
#include "report/pages/docs.h"

namespace ordercheck::form {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

// The checkout's rules, runs and pages, in a folder of its own.
class NewRule : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "ordercheck-new-rule-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    for (const char* part : {"rules", "matrix", "report_templates", "docs", "README.md"})
      fs::copy(checkout() / part, root_ / part, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<std::string> touched_by(const std::string& first, const std::string& then, const std::string& bad,
                                      const std::string& good) {
    const std::string page = "<!--\nid = \"ORD-900\"\nfirst = \"" + first + "\"\nthen = \"" + then +
                             "\"\nbasis = \"incidental\"\nharm = \"fails\"\nholds = [\"pytorch>=2.6\"]\n[[cite]]\n"
                             "url = \"https://example.org/toy\"\ndate = \"2026-01-02\"\nsays = \"supports\"\n"
                             "claim = \"A toy asks for it.\"\n[witness]\nbad = \"" +
                             bad + "\"\ngood = \"" + good +
                             "\"\n-->\n# A toy\n\n## What it flags\nA toy.\n\n## Why\nA toy asks for this order.\n\n"
                             "## Limits\nNone.\n";
    EXPECT_TRUE(replace_file(root_ / ("rules/order/" + first + "-before-" + then + ".md"), page));
    const auto documents = make_documents(root_);
    EXPECT_TRUE(documents) << documents.error().message;
    if (!documents) return {};
    const auto touched = write_documents(root_, *documents);
    EXPECT_TRUE(touched) << touched.error().message;
    return touched ? *touched : std::vector<std::string>{};
  }

  fs::path root_;
};

// Its own two stacks were not run, and it flags many that were.
TEST_F(NewRule, TouchesSevenPages) {
  EXPECT_THAT(touched_by("ac", "fsdp", "ac,fsdp=16", "fsdp=16,ac"),
              UnorderedElementsAre("README.md", "rules/order/ac-before-fsdp.md", "rules/README.md",
                                   "docs/parallelism_ordering.md", "docs/pairs.md", "docs/projects.md", "docs/evidence.md"));
  const auto compared = read_file(root_ / "rules/README.md");
  ASSERT_TRUE(compared);
  EXPECT_THAT(*compared, testing::HasSubstr("ORD-900"));
}

}  // namespace
}  // namespace ordercheck::form
