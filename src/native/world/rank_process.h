// Runs a rank in a forked process, and gives its parent a handle.
//
// The child sends its answer over a pipe and then waits for release, so that its exit does not cause errors in other ranks.
// Thread rules: used by the parent's only thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "native/world/descriptor.h"
#include "native/world/meeting_place.h"
#include "native/world/shared_waiting.h"
#include "native/world/world.h"

namespace ordercheck::ranks {

// What a rank's process sends to its parent when `body` has returned or thrown.
struct RankAnswerOfProcess {
  std::optional<WorldResult> thrown;
  int step = 0;
  std::string where;  // describe() of the step, phase and module that it was in
  std::string bytes;  // what `body` returned; empty if it threw
};

std::string encode(const RankAnswerOfProcess& answer);
// Throws nlohmann::json's error or std::runtime_error for bytes not written by encode().
RankAnswerOfProcess decode_rank_answer_of_process(const std::string& text);

struct RankStart {
  pid_t parent;
  const Mesh& mesh;
  const WorldOptions& options;
  const MeetingPlace& meeting;
  const std::function<std::string(RankState&)>& body;
};

// The main function of a forked process: runs `body` as `rank`. Writes the answer to descriptor `answers`, then waits until the
// other end of pipe `release` closes, and exits. SIGKILL ends it when its parent ends.
[[noreturn]] void be_rank(const RankStart& start, int rank, Waiting& waiting, int answers, int release);

// The destructor kills and reaps the rank if it is still running.
class RankProcess {
 public:
  RankProcess(pid_t process, Descriptor answers) : process_(process), answers_(std::move(answers)) {}
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;
  ~RankProcess();

  int descriptor() const { return answers_.number(); }
  const std::optional<RankAnswerOfProcess>& answer() const { return answer_; }
  // The answer as encoded by the rank's process; call only if answer() has a value.
  std::string answer_text() const { return text_.substr(sizeof(std::uint64_t)); }

  // Reads the bytes of the answer that have arrived. Returns false if the rank's process ended before its answer was complete.
  bool take();

  void kill() const;
  // Waits until the rank's process ends. Returns its status as waitpid() gives it.
  int reap();

 private:
  pid_t process_;
  Descriptor answers_;
  std::string text_;
  std::optional<RankAnswerOfProcess> answer_;
};

// Forks `rank`. Throws std::system_error if the system cannot create a process or a pipe. `release` is be_rank()'s pipe; the
// child closes the write end.
RankProcess start_rank(const RankStart& start, int rank, Waiting& waiting, Pipe& release);

}  // namespace ordercheck::ranks
