#include "cli/shared/import_view.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

Imported sample() {
  Imported imported{
      .format = "accelerate", .part = "", .stack = parse_stack("tp=2,fsdp=4").value(), .order_from = "x 1", .ranks = 8};
  imported.stack.items[0].origin = {"a.yaml", 3};
  imported.stack.items[1].origin = {"command line", 0};
  imported.sizes = {{"heads", 4}};
  imported.not_understood = {{.text = "a: \x1b[1m", .where = {"a.yaml", 12}, .why = "none"}};
  return imported;
}

TEST(ImportView, ShowsItemsAndPlaces) {
  EXPECT_EQ(render_import_text(sample()),
            "accelerate: tp=2,fsdp=4\n"
            "  tp=2    a.yaml:3\n"
            "  fsdp=4  command line\n"
            "Order: x 1\n"
            "Ranks: 8\n"
            "Sizes: heads=4\n"
            "Not understood:\n"
            "  a.yaml:12  a: \\x1b[1m: none\n");
  EXPECT_EQ(render_import_text({.format = "axolotl", .part = "one", .stack = {}, .order_from = "y"}),
            "axolotl, one: model (no transform)\nOrder: y\n");
}

TEST(ImportView, StandsBelowAReport) {
  EXPECT_EQ(render_import_below(sample()),
            "Read as accelerate; order: x 1\n"
            "  tp=2    a.yaml:3\n"
            "  fsdp=4  command line\n"
            "Not understood:\n"
            "  a.yaml:12  a: \\x1b[1m: none\n");
}

}  // namespace
}  // namespace ordercheck::cli
