#include "matrix/engine_spec.h"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>

#include "engines/fake_engine.h"
#include "unit/matrix/variable.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(engine_spec, the_variable_names_the_worker) {
  const Variable worker("ORDERCHECK_WORKER", ORDERCHECK_BINARY_DIR "/bin/fake_worker");
  const auto native = engine_spec(built_in("native"));
  ASSERT_TRUE(native) << native.error().message;
  EXPECT_EQ(native->name, "native");
  EXPECT_THAT(native->command, ElementsAre(ORDERCHECK_BINARY_DIR "/bin/fake_worker"));
  EXPECT_THAT(native->environment, ElementsAre("OMP_NUM_THREADS=1"));
}

TEST(engine_spec, a_variable_that_names_no_program_is_an_error_and_not_passed_over) {
  const Variable worker("ORDERCHECK_WORKER", "/nowhere/ranks");
  const auto native = engine_spec(built_in("native"));
  ASSERT_FALSE(native);
  EXPECT_THAT(native.error().message, AllOf(HasSubstr("ORDERCHECK_WORKER"), HasSubstr("/nowhere/ranks")));
}

TEST(engine_spec, without_the_variable_the_worker_stands_beside_this_program) {
  const Variable worker("ORDERCHECK_WORKER", "");
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ordercheck-ranks";
  const auto native = engine_spec(built_in("native"));
  if (std::filesystem::exists(beside)) {
    EXPECT_THAT(native->command, ElementsAre(beside.string()));
  } else {
    ASSERT_FALSE(native);
    EXPECT_THAT(native.error().message, AllOf(HasSubstr("its worker is not built: expected " + beside.string()),
                                              HasSubstr("build it with scripts/ordercheck")));
  }
}

TEST(engine_spec, an_engine_of_a_file_alone_is_started_as_the_file_says) {
  const Variable worker("ORDERCHECK_WORKER", "/nowhere/ranks");  // stands in place of another one
  const EngineSpec third = engine_spec({.name = "third",
                                        .command = {"/some/worker", "--quick"},
                                        .environment = {"A=1"},
                                        .timeout = std::chrono::seconds(7),
                                        .slow_start = std::chrono::seconds(2),
                                        .threads = 3})
                               .value();
  EXPECT_EQ(third, (EngineSpec{.name = "third",
                               .command = {"/some/worker", "--quick"},
                               .environment = {"A=1"},
                               .slow_start = std::chrono::seconds(2),
                               .build = "",
                               .timeout = std::chrono::seconds(7),
                               .threads = 3}));
}

TEST(engine_spec, a_worker_that_nobody_named_is_what_its_hello_says) {
  EngineSpec spec = fake_engine();
  EXPECT_EQ(called(spec), "engine fake");
  spec.name = "";
  EXPECT_EQ(called(spec), "engine");
  const auto pool = Pool::start(spec, {});
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ((*pool)->hello().engine, "fake");
}

TEST(engine_spec, the_cache_folder_follows_the_environment) {
  {
    const Variable cache("XDG_CACHE_HOME", "/some/cache");
    EXPECT_EQ(cache_folder().value(), "/some/cache/ordercheck");
  }
  const Variable cache("XDG_CACHE_HOME", "");
  const Variable home("HOME", "/home/someone");
  EXPECT_EQ(cache_folder().value(), "/home/someone/.cache/ordercheck");
  const Variable no_home("HOME", "");
  EXPECT_FALSE(cache_folder());
}

TEST(engine_spec, a_folder_that_cannot_be_written_is_named_with_the_reason) {
  const ScratchFolder folder;
  EXPECT_TRUE(check_writable(folder.path() / "new" / "deep"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "new" / "deep"));
  std::ofstream(folder.path() / "file") << "in the way";
  const Status wrong = check_writable(folder.path() / "file" / "below");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("file/below: cannot create it"), HasSubstr("Not a directory")));
}

}  // namespace
}  // namespace ordercheck
