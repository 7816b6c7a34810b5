#include "native/world/launched_world.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "native/world/rank_process.h"
#include "native/world/shared_waiting.h"
#include "native/world/temporary_folder.h"
#include "record/flight_slot.h"
#include "record/record_codec.h"

namespace ordercheck::ranks {
namespace {

using Clock = std::chrono::steady_clock;
using How = LaunchedEnd::How;

constexpr std::chrono::seconds kGrace{10};    // added to other ranks' limits: rank 0 reports a timeout first
constexpr std::chrono::seconds kFarewell{5};  // how long rank 0 serves the store after its last announcement
constexpr const char* kWorldEnds = "end";

volatile std::sig_atomic_t sent_away = 0;

void note_sent_away(int) { sent_away = 1; }

// Makes SIGTERM set a flag, which the loops here check; interrupted system calls restart.
void watch_for_launcher() {
  struct sigaction action{};
  action.sa_handler = note_sent_away;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

// Returns a flight recorder whose file is deleted at once: its mapping lives as long as a process holds it.
std::unique_ptr<FlightRecorder> unnamed_flight(int ranks) {
  const TemporaryFolder folder;
  auto created = FlightRecorder::create(folder.path() + "/flight", ranks);
  if (!created) throw std::runtime_error(created.error().message);
  return std::move(created).value();
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

}  // namespace

// Supervises the child process that is this process's rank in one run. Has no child if the run needs fewer ranks.
class LookedAfterRank {
 public:
  LookedAfterRank(LaunchStore& store, int rank, std::string beat_key, std::string end_key, std::string answer_key)
      : store_(store),
        rank_(rank),
        beat_key_(std::move(beat_key)),
        end_key_(std::move(end_key)),
        answer_key_(std::move(answer_key)) {}

  void start(const RankStart& start) { process_.emplace(start_rank(start, rank_, waiting_.of(0), release_)); }

  // Waits up to one heartbeat interval for the child's answer or death. Reports either to rank 0 through the store, else sends
  // a heartbeat.
  void look() {
    if (!process_ || end_) {
      std::this_thread::sleep_for(kBeat);
    } else {
      pollfd listened{.fd = process_->descriptor(), .events = POLLIN, .revents = 0};
      if (poll(&listened, 1, static_cast<int>(kBeat.count())) > 0 && !process_->take())
        tell({.how = How::died, .status = process_->reap(), .where = describe(rank_, place())});
      else if (process_->answer())
        tell_answer(*process_->answer());
    }
    if (process_ && !end_)
      store_.set(beat_key_, encode(LaunchedBeat{.number = ++beats_, .waiting = waiting_.of(0).word(), .slot = place()}));
  }

  void say_goodbye() {
    if (process_ && !end_) tell({.how = How::sent_away, .where = describe(rank_, place())});
  }

 private:
  FlightSlot place() const { return live_flight_slots()[static_cast<std::size_t>(rank_)]; }

  void tell_answer(const RankAnswerOfProcess& answer) {
    if (!answer.thrown) store_.set_long(answer_key_, answer.bytes);
    tell({.how = answer.thrown ? How::threw : How::answered,
          .step = answer.step,
          .where = answer.where,
          .thrown = answer.thrown});
  }

  void tell(LaunchedEnd end) {
    end_ = std::move(end);
    store_.set(end_key_, encode(*end_));
  }

  LaunchStore& store_;
  int rank_;
  std::string beat_key_, end_key_, answer_key_;
  SharedWaiting waiting_{1};
  Pipe release_ = make_pipe();
  std::optional<RankProcess> process_;
  std::optional<LaunchedEnd> end_;
  std::uint64_t beats_ = 0;
};

LaunchedWorld::LaunchedWorld(int rank, int size, const StoreAddress& master, std::chrono::seconds limit,
                             const std::string& program)
    : rank_(rank), size_(size), master_(master), limit_(limit), store_(master, rank, limit), address_(address_towards(master)) {
  watch_for_launcher();
  join(program);
}

void LaunchedWorld::join(const std::string& program) {
  const auto here = [](int rank) { return fmt::format("ordercheck/here/{}", rank); };
  store_.set(here(rank_), address_ + "\n" + program);
  // Other ranks wait longer than rank 0, so that they receive its error.
  const auto limit = Clock::now() + limit_ + (rank_ == 0 ? std::chrono::seconds(0) : kGrace);
  std::vector<int> missing;
  while (Clock::now() < limit && sent_away == 0) {
    if (rank_ != 0) {
      const auto wrong = store_.find("ordercheck/joined");
      if (wrong && wrong->empty()) return;
      if (wrong) {
        part();
        throw WorldGone(*wrong);
      }
    } else {
      missing.clear();
      for (int rank = 1; rank < size_; ++rank)
        if (!store_.find(here(rank))) missing.push_back(rank);
      if (missing.empty()) {
        const std::string wrong = wrong_with_joined(address_ + "\n" + program);
        store_.set("ordercheck/joined", wrong);
        if (wrong.empty()) return;
        part();
        throw WorldGone(wrong);
      }
    }
    std::this_thread::sleep_for(kBeat);
  }
  if (sent_away != 0) throw WorldGone("the launcher ended it (SIGTERM) before all ranks had come");
  if (rank_ != 0)
    throw WorldGone(fmt::format("expected rank 0 at {}:{} to say that all ranks have come, it said nothing for {} s",
                                master_.host, master_.port, (limit_ + kGrace).count()));
  const std::string wrong = fmt::format(
      "expected {} ranks within {} s, and these have not come: {}; start as many as the launcher says, or name a longer "
      "--timeout",
      size_, limit_.count(), fmt::join(missing, ", "));
  store_.set("ordercheck/joined", wrong);
  throw WorldGone(wrong);
}

// Returns why a rank that joined does not match rank 0 (another program, or a loopback address); "" if all match.
std::string LaunchedWorld::wrong_with_joined(const std::string& own) {
  const auto line_break = own.find('\n');
  for (int rank = 1; rank < size_; ++rank) {
    const std::string other = store_.find(fmt::format("ordercheck/here/{}", rank)).value_or("");
    const auto at = other.find('\n');
    if (other.substr(at) != own.substr(line_break))
      return fmt::format("rank {} runs '{}', and rank 0 '{}'; start the same program on all hosts", rank, other.substr(at + 1),
                         own.substr(line_break + 1));
    const std::string address = other.substr(0, at);
    if (is_loopback(address) != is_loopback(address_))
      return fmt::format(
          "rank {} is reached at {}, and rank 0 at {}: one of them cannot be reached from another host; set MASTER_ADDR to an "
          "address of rank 0's host that all hosts reach, or GLOO_SOCKET_IFNAME",
          rank, address, address_);
  }
  return "";
}

void LaunchedWorld::announce(const std::string& what) { store_.set(fmt::format("ordercheck/say/{}", announced_++), what); }

std::string LaunchedWorld::await_announcement() {
  const std::string name = fmt::format("ordercheck/say/{}", announced_++);
  const auto limit = Clock::now() + 2 * limit_ + kGrace;
  while (Clock::now() < limit) {
    if (const auto what = store_.find(name)) return *what;
    if (sent_away != 0) throw WorldGone("the launcher ended it (SIGTERM)");
    std::this_thread::sleep_for(kBeat / 4);
  }
  throw WorldGone(fmt::format("rank 0 has said nothing for {} s", (2 * limit_ + kGrace).count()));
}

void LaunchedWorld::part() {
  constexpr const char* kLeft = "ordercheck/left";
  store_.add_one(kLeft);
  if (rank_ != 0) return;
  const auto limit = Clock::now() + kFarewell;
  while (std::stoi(store_.find(kLeft).value_or("0")) < size_ && Clock::now() < limit) std::this_thread::sleep_for(kBeat / 4);
}

std::string LaunchedWorld::key(const std::string& what, int rank) const {
  return fmt::format("ordercheck/run/{}/{}/{}", runs_, what, rank);
}

MeetingPlace LaunchedWorld::meeting_place() const {
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");  // PyTorch's variable
  return {.store_of =
              [master = master_, limit = limit_, prefix = fmt::format("ordercheck/run/{}/group", runs_)](
                  const std::string& group, int) {
                return c10::make_intrusive<c10d::PrefixStore>(prefix + "/" + group, connect_store(master, limit));
              },
          .address = address_,
          .interface = interface ? interface : ""};
}

WorldResult LaunchedWorld::run(const Mesh& mesh, const WorldOptions& options,
                               const std::function<std::string(RankState&)>& body, std::vector<std::string>& answers) {
  const int size = world_size(mesh);
  LookedAfterRank own(store_, rank_, key("beat", rank_), key("end", rank_), key("answer", rank_));
  const std::unique_ptr<FlightRecorder> flight = unnamed_flight(size);
  WorldOptions with_flight = options;
  with_flight.flight = flight.get();
  const MeetingPlace meeting = meeting_place();
  if (rank_ < size) own.start({.parent = getpid(), .mesh = mesh, .options = with_flight, .meeting = meeting, .body = body});
  if (rank_ != 0) {
    const WorldResult none = await_word(own);
    ++runs_;
    return none;
  }
  const WorldResult result = await_end(own, size);
  answers.clear();
  for (int rank = 0; rank < size && result.ending == Ending::completed; ++rank)
    answers.push_back(store_.take_long(key("answer", rank)).value());
  ++runs_;
  return result;
}

void LaunchedWorld::hear(std::vector<HeardRank>& ranks, HeardRank::Time now) {
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    HeardRank& heard = ranks[static_cast<std::size_t>(rank)];
    if (heard.end) continue;
    if (const auto text = store_.find(key("beat", rank))) {
      LaunchedBeat beat = decode_launched_beat(*text);
      if (beat.number != heard.beat) heard.heard = now;
      const auto place = [](const FlightSlot& slot) { return describe(0, slot); };
      if (beat.waiting != heard.waiting || place(beat.slot) != place(heard.slot)) heard.changed = now;
      heard.beat = beat.number, heard.waiting = beat.waiting, heard.slot = std::move(beat.slot);
    }
    if (const auto text = store_.find(key("end", rank))) heard.end = decode_launched_end(*text);
  }
}

WorldResult LaunchedWorld::await_end(LookedAfterRank& own, int size) {
  const auto began = Clock::now();
  std::vector<HeardRank> ranks(static_cast<std::size_t>(size), HeardRank{.heard = began, .changed = began});
  ListeningTime time(began);
  std::optional<Clock::time_point> told_to_end;
  while (true) {
    own.look();
    time.begin_round(Clock::now());
    hear(ranks, time.now());
    if (sent_away != 0 && !told_to_end) told_to_end = Clock::now();
    // A live rank reports its SIGTERM within this time. Launchers wait at least a second before SIGKILL.
    const bool launcher_ends = told_to_end && Clock::now() - *told_to_end >= 5 * kBeat;
    const auto result = ending_of(ranks, time.now(), time.of(began + limit_), launcher_ends);
    if (!result) continue;
    const bool died = std::ranges::any_of(ranks, [](const HeardRank& rank) { return rank.end && rank.end->how == How::died; });
    // No further run is possible if a launched process or its host was lost. A rank's child that died ends only this run.
    over_ = result->ending == Ending::killed && !died;
    store_.set(key("over", 0), over_ ? kWorldEnds : "");
    return *result;
  }
}

WorldResult LaunchedWorld::await_word(LookedAfterRank& own) {
  const auto limit = Clock::now() + limit_ + kGrace;
  while (Clock::now() < limit) {
    own.look();
    if (const auto word = store_.find(key("over", 0))) {
      if (*word == kWorldEnds) throw WorldGone("rank 0 ended the world: a rank was lost");
      return {.ending = Ending::unstarted, .failure = Failure{.rank = rank_, .message = "rank 0 tells how it ended"}};
    }
    if (sent_away != 0) {
      own.say_goodbye();
      throw WorldGone("the launcher ended it (SIGTERM)");
    }
  }
  throw WorldGone(fmt::format("rank 0 has not said for {} s how the run ended", (limit_ + kGrace).count()));
}

namespace {

using nlohmann::json;

// Module names are user bytes: CBOR accepts any, JSON text only UTF-8.
std::string packed(const json& value) {
  const std::vector<std::uint8_t> cbor = json::to_cbor(value);
  return {cbor.begin(), cbor.end()};
}

}  // namespace

std::string encode(const LaunchedBeat& beat) {
  const FlightSlot& slot = beat.slot;
  return packed({beat.number, beat.waiting, slot.used, slot.torn, slot.step, static_cast<int>(slot.phase), slot.module,
                 slot.operation, slot.group, slot.sequence, slot.shape, slot.finished, slot.fatal_signal, slot.called_exit});
}

LaunchedBeat decode_launched_beat(const std::string& text) {
  const json value = json::from_cbor(text);
  return {.number = value.at(0),
          .waiting = value.at(1),
          .slot = {.used = value.at(2),
                   .torn = value.at(3),
                   .step = value.at(4),
                   .phase = static_cast<Phase>(value.at(5).get<int>()),
                   .module = value.at(6),
                   .operation = value.at(7),
                   .group = value.at(8),
                   .sequence = value.at(9),
                   .shape = value.at(10),
                   .finished = value.at(11),
                   .fatal_signal = value.at(12),
                   .called_exit = value.at(13)}};
}

std::string encode(const LaunchedEnd& end) {
  json value{{"how", static_cast<int>(end.how)}, {"status", end.status}, {"step", end.step}, {"where", end.where}};
  if (end.thrown) {
    Record record;
    record.ending = end.thrown->ending;
    record.failure = end.thrown->failure;
    value["thrown"] = json_of(record);
  }
  return packed(value);
}

LaunchedEnd decode_launched_end(const std::string& text) {
  const json value = json::from_cbor(text);
  LaunchedEnd end{.how = static_cast<LaunchedEnd::How>(value.at("how").get<int>()),
                  .status = value.at("status"),
                  .step = value.at("step"),
                  .where = value.at("where"),
                  .thrown = {}};
  if (value.contains("thrown")) {
    const auto record = record_of(value.at("thrown"));
    if (!record) throw std::runtime_error(record.error().message);
    end.thrown = WorldResult{.ending = record->ending, .failure = record->failure};
  }
  return end;
}

}  // namespace ordercheck::ranks
