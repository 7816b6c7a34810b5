#include "matrix/engine_file.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "engines/fake_engine.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto engine = parse_engine_file(text, "/matrix/engines/third.toml");
  return engine ? "none" : engine.error().message;
}

TEST(EngineFile, SaysHowAnEngineIsStarted) {
  const auto engine = parse_engine_file(
      "command = [\"./worker\", \"-v\", \"-v\"]\nenvironment = [\"A=1\"]\ntimeout = 7\nslow_start = 2\nthreads = 3\n"
      "worlds = [\"one\", \"other\"]\ndevices = [\"cpu\", \"another\"]\n"
      "keeps = [\"graphs\"]\n",
      "/matrix/engines/third.toml");
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(*engine, (EngineFile{.name = "third",
                                 .command = {"/matrix/engines/worker", "-v", "-v"},
                                 .environment = {"A=1"},
                                 .timeout = std::chrono::seconds(7),
                                 .slow_start = std::chrono::seconds(2),
                                 .threads = 3,
                                 .worlds = {"one", "other"},
                                 .devices = {"cpu", "another"},
                                 .keeps = {"graphs"}}));
  EXPECT_EQ(parse_engine_file("command = [\"worker\"]\n", "third.toml")->command, std::vector<std::string>{"worker"});
}

TEST(EngineFile, ErrorsNameTheLine) {
  EXPECT_EQ(error_of(""),
            "/matrix/engines/third.toml:1: expected one of command = [\"program\", \"argument\"], built_beside or "
            "interpreter, got none");
  EXPECT_THAT(error_of("timeout = 1\ncommand = [\"w\"]\nbuilt_beside = \"w\"\n"), HasSubstr("third.toml:2: "));
  EXPECT_THAT(error_of("interpreter = \"perl\"\n"), HasSubstr("expected interpreter = \"python with torch\", got \"perl\""));
  EXPECT_THAT(error_of("command = [\"w\"]\nproject = \"mine\"\n"),
              HasSubstr("third.toml:2: expected interpreter = \"python with torch\" too, got none"));
  EXPECT_THAT(error_of("command = [\"w\"]\nthreads = 0\n"), HasSubstr("third.toml:2: 'threads' is no whole number"));
  EXPECT_THAT(error_of("command = [\"w\"]\nenvironment = [\"A\"]\n"), HasSubstr("third.toml:2: expected NAME=value, got 'A'"));
  EXPECT_THAT(error_of("command = [\"w\"]\nkeeps = [\"values\"]\n"),
              HasSubstr("third.toml:2: expected 'graphs', got 'values'"));
  EXPECT_THAT(error_of("comand = [\"w\"]\n"), HasSubstr("third.toml:1: unknown key 'comand'; did you mean 'command'?"));
}

TEST(EngineFiles, ThoseThatComeWithItAreKnownWithoutAFolder) {
  const auto known = load_engine_files("/no/such/folder");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_THAT(names_of(*known), ElementsAre("accelerate", "automodel", "deepspeed", "lightning", "modalities", "native",
                                            "olmo_core", "pytorch", "torchao", "torchtitan"));
  EXPECT_EQ(*known, load_engine_files(ORDERCHECK_SOURCE_DIR "/matrix/engines").value());
  EXPECT_EQ(find_engine(*known, "third"), nullptr);
}

TEST(EngineFiles, AFileAddsAnEngineOrGoesBeforeOne) {
  const ScratchFolder folder;
  ASSERT_TRUE(replace_file(folder.path() / "third.toml", "command = [\"./worker\"]\n"));
  ASSERT_TRUE(replace_file(folder.path() / "native.toml", "command = [\"/my/native\"]\n"));
  ASSERT_TRUE(replace_file(folder.path() / "notes.txt", "no engine"));
  const auto known = load_engine_files(folder.path());
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_THAT(names_of(*known), ElementsAre("accelerate", "automodel", "deepspeed", "lightning", "modalities", "native",
                                            "olmo_core", "pytorch", "third", "torchao", "torchtitan"));
  EXPECT_THAT(find_engine(*known, "native")->command, ElementsAre("/my/native"));
  EXPECT_THAT(find_engine(*known, "third")->command, ElementsAre((folder.path() / "worker").string()));

  ASSERT_TRUE(replace_file(folder.path() / "wrong.toml", "command = 3\n"));
  EXPECT_FALSE(load_engine_files(folder.path()));
}

}  // namespace
}  // namespace ordercheck
