#include "matrix/pytorch_engine.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "engines/fake_engine.h"
#include "unit/matrix/variable.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Result<EngineSpec> in_python(const std::string& python) { return engine_spec(built_in("pytorch"), python); }

// A driver's folder and programs that stand for interpreters. What errors say of each is in tests/cli/bad-python.test.
class PytorchEngine : public testing::Test {
 protected:
  PytorchEngine() {
    std::filesystem::create_directories(folder_.path() / "driver" / "ordercheck_pytorch");
    std::ofstream(folder_.path() / "driver" / "ordercheck_pytorch" / "__main__.py") << "\n";
  }

  std::string driver() const { return folder_.path() / "driver"; }

  std::string python(const std::string& name, const std::string& script) const {
    const auto path = folder_.path() / name;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  const ScratchFolder folder_;
};

TEST_F(PytorchEngine, IsTheDriverInTheInterpreterWithTheCallersFolderBehindIt) {
  const Variable driver_folder("ORDERCHECK_DRIVER", driver());
  const Variable modules("PYTHONPATH", "/some/modules");
  const std::string sound = python("sound", "printf 'python 3.12.1\\ntorch 2.11.0+cpu\\n'");
  const auto engine = in_python(sound);
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(engine->name, "pytorch");
  EXPECT_EQ(engine->build, "torch 2.11.0+cpu");
  EXPECT_THAT(engine->command, ElementsAre(sound, "-m", "ordercheck_pytorch"));
  EXPECT_THAT(engine->environment,
              AllOf(Contains("PYTHONPATH=" + driver() + ":" + std::filesystem::current_path().string() + ":/some/modules"),
                    Contains("OMP_NUM_THREADS=1")));
  EXPECT_EQ(engine->slow_start, std::chrono::seconds(60));
  EXPECT_EQ(engine->timeout, std::chrono::seconds(300));
  EXPECT_EQ(engine->threads, 4);
}

TEST_F(PytorchEngine, TheVariableNamesTheInterpreterUnlessOneIsWritten) {
  const Variable driver_folder("ORDERCHECK_DRIVER", driver());
  const Variable named("ORDERCHECK_PYTHON", python("one", "printf 'python 3.12.1\\ntorch 2.11.0\\n'"));
  const std::string other = python("other", "printf 'python 3.12.1\\ntorch 2.15.0\\n'");
  EXPECT_EQ(in_python("")->build, "torch 2.11.0");
  EXPECT_EQ(in_python(other)->build, "torch 2.15.0");
  const Variable empty("ORDERCHECK_PYTHON", "");
  EXPECT_FALSE(in_python(""));
}

TEST_F(PytorchEngine, TheOldestThatWillDo) {
  const Variable driver_folder("ORDERCHECK_DRIVER", driver());
  const auto answers = [&](const std::string& versions) {
    return static_cast<bool>(in_python(python("asked", "printf '" + versions + "'")));
  };
  EXPECT_TRUE(answers("python 3.10.0\\ntorch 2.6.0\\n"));
  EXPECT_TRUE(answers("python 4.0.0\\ntorch 3.0.0a0+git1234\\n"));
  EXPECT_FALSE(answers("python 3.9.9\\ntorch 2.6.0\\n"));
  EXPECT_FALSE(answers("python 3.10.0\\ntorch 2.5.9\\n"));
  EXPECT_FALSE(answers("python 3.10.0\\ntorch 1.13.0\\n"));
  EXPECT_FALSE(answers("python 3.10.0\\ntorch two\\n"));
  EXPECT_FALSE(answers("python 3.10.0\\n"));
}

TEST_F(PytorchEngine, AFolderWithoutTheDriverIsAnErrorAndNotPassedOver) {
  const Variable driver_folder("ORDERCHECK_DRIVER", folder_.path());
  const auto found = find_pytorch_driver();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr("ORDERCHECK_DRIVER=" + folder_.path().string()), HasSubstr("ordercheck_pytorch/__main__.py")));
}

}  // namespace
}  // namespace ordercheck
