// A rank that is a process of its own, forked from the one that asks for it: what it does, and what its parent has of it.
//
// It hands back its answer over a pipe and then waits to be released, so that no other rank takes its end for an error of its own.
// Thread rules: used by the parent's one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "ranks/comm/descriptor.h"
#include "ranks/comm/meeting_place.h"
#include "ranks/comm/shared_waiting.h"
#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// What a rank's process hands back.
struct RankAnswerOfProcess {
  std::optional<WorldResult> thrown;
  int step = 0;
  std::string where;  // describe() of its place at its end
  std::string bytes;  // when it threw nothing
};

std::string encode(const RankAnswerOfProcess& answer);
// Throws what nlohmann::json throws, or std::runtime_error, for bytes that encode() did not write.
RankAnswerOfProcess decode_rank_answer_of_process(const std::string& text);

struct RankStart {
  pid_t parent;
  const Mesh& mesh;
  const WorldOptions& options;
  const MeetingPlace& meeting;
  const std::function<std::string(RankState&)>& body;
};

// The rest of the life of a process that was forked to be `rank`. Writes to `answers`; ends once `release` is closed at its other
// end, or by SIGKILL when its parent ends.
[[noreturn]] void be_rank(const RankStart& start, int rank, Waiting& waiting, int answers, int release);

// Killed and reaped when this goes, if it was not reaped before: no rank outlives its world.
class RankProcess {
 public:
  RankProcess(pid_t process, Descriptor answers) : process_(process), answers_(std::move(answers)) {}
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;
  ~RankProcess();

  int descriptor() const { return answers_.number(); }
  const std::optional<RankAnswerOfProcess>& answer() const { return answer_; }
  // What encode() wrote; only once there is an answer.
  std::string answer_text() const { return text_.substr(sizeof(std::uint64_t)); }

  // What has come by now. False when the rank's process ended without an answer.
  bool take();

  void kill() const;
  // How it ended, as waitpid() says it; waits until it has.
  int reap();

 private:
  pid_t process_;
  Descriptor answers_;
  std::string text_;
  std::optional<RankAnswerOfProcess> answer_;
};

// Forks `rank`. Throws std::system_error where the system gives no process or no pipe. `release` is the pipe of be_rank; the child
// closes its writing end.
RankProcess start_rank(const RankStart& start, int rank, Waiting& waiting, Pipe& release);

}  // namespace ordercheck::ranks
