#include "report/html/html.h"

#include <gmock/gmock.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

fs::path templates() { return ORDERCHECK_SOURCE_DIR "/report_templates/html"; }

// Between the start of the page's data and the next end of a script.
std::string data_in(const std::string& page) {
  constexpr std::string_view kStart = R"(<script type="application/json" id="data">)";
  const auto start = page.find(kStart) + kStart.size();
  return page.substr(start, page.find("</script>", start) - start);
}

TEST(Html, WritesNoLessThanSignIntoItsData) {
  Sources sources = mini();
  sources.evidence.at(0).rows.at(0).message = "</script><!-- <b>";
  const auto page = render_html(sources, nullptr, templates());
  ASSERT_TRUE(page);
  const std::string data = data_in(*page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(data.back(), '}') << "the data ended early";
  EXPECT_THAT(data, testing::HasSubstr(R"(\u003c/script>\u003c!-- \u003cb>)"));
}

TEST(Html, ShowsAMessageThatIsNoUtf8) {
  Sources sources = mini();
  sources.evidence.at(0).rows.at(0).message = "got \xff";
  EXPECT_TRUE(render_html(sources, nullptr, templates()));
}

TEST(Html, IsTheSameEachTime) {
  const auto one = render_html(mini(), nullptr, templates()), other = render_html(mini(), nullptr, templates());
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, *other);
}

TEST(Html, SaysWhichTemplateIsMissing) {
  const auto page = render_html(mini(), nullptr, mini_folder());
  ASSERT_FALSE(page);
  EXPECT_THAT(page.error().message, testing::HasSubstr("page.html"));
}

}  // namespace
}  // namespace ordercheck
