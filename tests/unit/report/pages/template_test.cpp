#include "report/pages/template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

std::string rendered(std::string_view text, const nlohmann::ordered_json& data) {
  const auto made = render_template(text, data, "t.md");
  return made ? *made : "error: " + made.error().message;
}

TEST(Template, EscapesForATableOnlyWhereAskedTo) { EXPECT_EQ(rendered("{{a}} {{{a}}}", {{"a", "x|y\nz"}}), "x\\|y z x|y\nz"); }

TEST(Template, LeavesOutWhatIsEmpty) {
  const char* text = "{{#a}}[{{a}}]{{/a}}{{^a}}none{{/a}}";
  EXPECT_EQ(rendered(text, {{"a", ""}}), "none");
  EXPECT_EQ(rendered(text, {{"a", "b"}}), "[b]");
}

TEST(Template, LeavesNoLineBehindForASectionOnItsOwnLine) {
  const nlohmann::ordered_json data{{"rows", {{{"x", "1"}}, {{"x", "2"}}}}, {"none", nlohmann::ordered_json::array()}};
  EXPECT_EQ(
      rendered("head\n{{#rows}}\n| {{x}} |\n{{/rows}}\n{{^none}}\nno\n{{/none}}\n{{#has_none}}\nx\n{{/has_none}}\nend\n", data),
      "head\n| 1 |\n| 2 |\nno\nend\n");
  EXPECT_EQ(rendered("a\n\n{{#has_none}}\nx\n{{/has_none}}\n\nb", data), "a\n\n\nb");
}

TEST(Template, NamesTheTemplateThatIsBroken) {
  const auto made = render_template("{{#a}}", {{"a", "b"}}, "t.md");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message.rfind("t.md: ", 0), 0u) << made.error().message;
}

}  // namespace
}  // namespace ordercheck
