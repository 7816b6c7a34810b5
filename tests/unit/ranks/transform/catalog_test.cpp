#include "ranks/transform/transform.h"

#include <gtest/gtest.h>

#include "stack/notation.h"
#include "stack/transforms.h"

namespace ordercheck::ranks {
namespace {

// The paper wing must know every name that the engine builds.
TEST(Catalog, NamesOnlyTransformsThatAStackMayUse) {
  for (const Transform& transform : transform_catalog()) EXPECT_TRUE(find_transform(transform.name)) << transform.name;
}

TEST(Catalog, SaysWhatItCannotBuild) {
  const auto why = [](const char* text) {
    const Item item = parse_stack(text).value().items.front();
    return find_transform_of_engine(item.name)->cannot(item);
  };
  EXPECT_EQ(why("ac"), "");
  EXPECT_NE(why("ac:reentrant"), "");
  EXPECT_NE(why("tp=2:sp=maybe"), "");
  EXPECT_NE(why("fsdp=2:reshard=sometimes"), "");
  EXPECT_NE(why("optimizer=adamw:clip=big"), "");
  EXPECT_EQ(find_transform_of_engine("pp"), nullptr);
}

}  // namespace
}  // namespace ordercheck::ranks
