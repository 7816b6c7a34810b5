#include "base/bits.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Bits64, EqualityIsOfBits) {
  EXPECT_NE(bits_of(-0.0), bits_of(0.0));
  EXPECT_EQ(bits_of(kNan), bits_of(kNan));
  EXPECT_EQ(value_of(bits_of(0.1)), 0.1);
}

TEST(Bits64, HexAndBack) {
  EXPECT_EQ(hex(bits_of(1.0)), "3ff0000000000000");
  for (const double value : {0.0, -0.0, 1.5, -kInfinity, 5e-324}) {
    const Result<Bits64> back = parse_bits64(hex(bits_of(value)));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bits_of(value));
  }
}

TEST(Bits64, RefusesWhatIsNotSixteenHexDigits) {
  for (const char* bad : {"", "3ff", "3ff000000000000g", "3ff00000000000000", "0x3ff00000000000", "-ff0000000000000"})
    EXPECT_FALSE(parse_bits64(bad)) << bad;
  EXPECT_EQ(parse_bits64("3ff").error().message, "expected 16 hex digits, got 3 characters");
}

TEST(UlpDistance, CountsSteps) {
  EXPECT_EQ(ulp_distance(1.0, 1.0), 0u);
  EXPECT_EQ(ulp_distance(1.0, std::nextafter(1.0, 2.0)), 1u);
  EXPECT_EQ(ulp_distance(-5e-324, 5e-324), 2u);
  EXPECT_EQ(ulp_distance(-0.0, 0.0), 0u);
  EXPECT_EQ(ulp_distance(1.0, 2.0), std::uint64_t{1} << 52);
  EXPECT_EQ(ulp_distance(2.0, 1.0), std::uint64_t{1} << 52);
}

TEST(UlpDistance, SpansTheWholeRangeWithoutOverflow) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(ulp_distance(-most, most), 2 * ulp_distance(0.0, most));
  EXPECT_EQ(ulp_distance(kNan, 1.0), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ulp_distance(1.0, kInfinity), std::numeric_limits<std::uint64_t>::max());
}

TEST(Hash128, IsXxh3OfTheBytes) {
  // The published XXH3-128 of no input, seed 0.
  EXPECT_EQ(hex(hash_of("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(hash_of("a"), hash_of("b"));
  const double values[] = {1.0, 2.0};
  EXPECT_EQ(hash_of(values, sizeof values), hash_of(std::string_view(reinterpret_cast<const char*>(values), sizeof values)));
}

TEST(Hash128, HexAndBack) {
  const Result<Hash128> back = parse_hash128(hex(hash_of("tp=2,fsdp=2")));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, hash_of("tp=2,fsdp=2"));
  EXPECT_FALSE(parse_hash128("99aa06d3014798d8"));
  EXPECT_FALSE(parse_hash128("99aa06d3014798d86001c324468d49zz"));
}

}  // namespace
}  // namespace ordercheck
