#include "native/world/launched_ending.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "native/world/shared_waiting.h"

namespace ordercheck::ranks {
namespace {

using How = LaunchedEnd::How;
using Time = HeardRank::Time;
using Ranks = std::vector<HeardRank>;

constexpr std::chrono::milliseconds kStill = 5 * kBeat;
constexpr std::chrono::milliseconds kRecent = 3 * kBeat;
constexpr std::chrono::milliseconds kSilent = 30 * kBeat;
constexpr std::chrono::milliseconds kNoGoodbye = 4 * kBeat;
constexpr std::chrono::milliseconds kRound = 2 * kBeat;

bool ended(const HeardRank& rank, How how) { return rank.end && rank.end->how == how; }
bool waits(const HeardRank& rank) { return !rank.slot.operation.empty(); }

std::string place_text(int rank, const HeardRank& heard) {
  return heard.end && !heard.end->where.empty() ? heard.end->where : describe(rank, heard.slot);
}

WorldResult ended_at(Ending ending, const Ranks& ranks, int rank, std::string message) {
  Failure failure{.rank = rank, .message = std::move(message)};
  if (rank >= 0 && ranks[rank].slot.used) {
    const FlightSlot& slot = ranks[rank].slot;
    failure.phase = slot.phase;
    failure.module = slot.module;
    failure.operation = slot.operation;
    failure.group = slot.group;
    failure.sequence = waits(ranks[rank]) ? slot.sequence : -1;
  }
  for (int each = 0; each < static_cast<int>(ranks.size()); ++each) failure.ranks.push_back(place_text(each, ranks[each]));
  return {.ending = ending, .failure = std::move(failure)};
}

std::vector<int> silent_ranks(const Ranks& ranks, Time now, std::chrono::milliseconds since) {
  std::vector<int> silent;
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank)
    if (!ranks[rank].end && now - ranks[rank].heard >= since) silent.push_back(rank);
  return silent;
}

WorldResult lost(const Ranks& ranks, const std::vector<int>& silent, std::string_view when) {
  return ended_at(Ending::killed, ranks, silent.front(),
                  fmt::format("rank {} {}: its process or its host is gone, or the link to it", fmt::join(silent, ", "), when));
}

std::optional<WorldResult> death(const Ranks& ranks) {
  const auto dead = std::ranges::find_if(ranks, [](const HeardRank& rank) { return ended(rank, How::died); });
  if (dead == ranks.end()) return std::nullopt;
  const int status = dead->end->status;
  const bool by_signal = WIFSIGNALED(status);
  const Ending ending = by_signal && WTERMSIG(status) == SIGKILL ? Ending::killed : Ending::died;
  const auto how = by_signal ? fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return ended_at(ending, ranks, static_cast<int>(dead - ranks.begin()), "the rank's process " + how);
}

// Returns the exception of the earliest step, then of the lowest rank, with every rank's place; nullopt if no rank threw.
std::optional<WorldResult> first_thrown(const Ranks& ranks) {
  const LaunchedEnd* first = nullptr;
  for (const HeardRank& rank : ranks)
    if (ended(rank, How::threw) && (!first || rank.end->step < first->step)) first = &*rank.end;
  if (!first) return std::nullopt;
  WorldResult result = *first->thrown;
  result.failure->ranks.clear();
  for (int each = 0; each < static_cast<int>(ranks.size()); ++each)
    result.failure->ranks.push_back(place_text(each, ranks[each]));
  return result;
}

// Returns the rank to blame for a timeout: the one without progress for longest among those that are computing. If all wait,
// the one that has waited longest.
int waited_for(const Ranks& ranks) {
  int found = -1;
  const auto look = [&](auto wanted) {
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank)
      if (!ranks[rank].end && wanted(ranks[rank]) && (found < 0 || ranks[rank].changed < ranks[found].changed)) found = rank;
  };
  look([](const HeardRank& rank) { return !waits(rank) && !Waiting::is_waiting(rank.waiting); });
  if (found < 0) look([](const HeardRank&) { return true; });
  return found;
}

// True if the rank ended, or has waited for others for a while and sent a heartbeat since. A rank that went silent does not
// count: it may be lost.
bool at_rest(const HeardRank& rank, Time now) {
  return rank.end || (Waiting::is_waiting(rank.waiting) && rank.heard - rank.changed >= kStill && now - rank.heard < kRecent);
}

}  // namespace

void ListeningTime::begin_round(Time at) {
  held_up_ += std::max(at - round_began_ - kRound, Time::duration(0));
  round_began_ = at;
}

std::optional<WorldResult> ending_of(const Ranks& ranks, Time now, Time limit, bool launcher_ends) {
  if (auto died = death(ranks)) return died;
  auto thrown = first_thrown(ranks);
  const bool all_ended =
      std::ranges::all_of(ranks, [](const HeardRank& rank) { return ended(rank, How::answered) || ended(rank, How::threw); });
  if (all_ended) return thrown ? *thrown : WorldResult{};
  if (launcher_ends) {
    const auto silent = silent_ranks(ranks, now, kNoGoodbye);
    return silent.empty() ? ended_at(Ending::killed, ranks, -1, "the launcher ended the ranks (SIGTERM)")
                          : lost(ranks, silent, "said no more when the launcher ended the others");
  }
  const auto silent = silent_ranks(ranks, now, kSilent);
  if (thrown && !silent.empty()) return lost(ranks, silent, "has not been heard of for 3 s");
  if (thrown && std::ranges::all_of(ranks, [&](const HeardRank& rank) { return at_rest(rank, now); })) return thrown;
  if (now < limit) return std::nullopt;
  if (!silent.empty()) return lost(ranks, silent, "has not been heard of for 3 s when the time was up");
  return ended_at(Ending::timed_out, ranks, waited_for(ranks), "the time was up before all ranks had answered");
}

namespace {

constexpr std::size_t kPiece = 4u << 20;

// What the SIGALRM handler prints before it exits. Formatted in advance, because a signal handler must not allocate.
std::array<char, 512> last_words{};

void give_up(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, last_words.data(), std::strlen(last_words.data()));
  _exit(3);
}

void set_timer(std::chrono::seconds after) {
  const itimerval timer{.it_interval = {0, 0}, .it_value = {after.count(), 0}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// During its lifetime, the process exits with code 3 if a call of the store takes longer than `limit`.
class Patience {
 public:
  explicit Patience(std::chrono::seconds limit) { set_timer(limit); }
  ~Patience() { set_timer(std::chrono::seconds(0)); }
  Patience(const Patience&) = delete;
};

std::vector<std::uint8_t> raw_bytes(const std::string& text) { return {text.begin(), text.end()}; }

c10::intrusive_ptr<c10d::TCPStore> client_of(const StoreAddress& address, std::chrono::seconds patience) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(address.port);
  options.waitWorkers = false;
  options.timeout = patience;
  return c10::make_intrusive<c10d::TCPStore>(address.host, options);
}

std::string numbered(const std::string& key, std::size_t piece) { return fmt::format("{}/{}", key, piece); }

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first) freeaddrinfo(first);
  }
};

// Serves a TCPStore until this process is killed. Once it listens, closes `report`; if it cannot, writes the error there first.
[[noreturn]] void serve_store(const StoreAddress& address, int report) {
  // The store must not outlive its parent.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGTERM, SIG_IGN);  // ignored: the parent ends this process after its own last report
  std::string wrong;
  c10::intrusive_ptr<c10d::TCPStore> store;
  try {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(address.port);
    options.isServer = true;
    options.waitWorkers = false;
    store = c10::make_intrusive<c10d::TCPStore>(address.host, options);
  } catch (const c10::Error& error) {
    wrong = error.what_without_backtrace();
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  [[maybe_unused]] const ssize_t written = write(report, wrong.data(), wrong.size());
  close(report);
  if (!wrong.empty()) std::_Exit(2);
  while (true) pause();
}

}  // namespace

LaunchStore::LaunchStore(const StoreAddress& address, int rank, std::chrono::seconds patience) : patience_(patience) {
  fmt::format_to_n(last_words.data(), last_words.size() - 1,
                   "ordercheck-ranks: rank {}: the store at {}:{} has not answered for {} s: rank 0 or its host is gone, or "
                   "the link to it\n",
                   rank, address.host, address.port, patience.count());
  std::signal(SIGALRM, give_up);
  // Connecting has its own limit; this one covers what c10d does after that.
  const Patience limit(2 * patience);
  store_ = client_of(address, patience);
}

LaunchStore::~LaunchStore() = default;

void LaunchStore::set(const std::string& key, const std::string& text) {
  const Patience limit(patience_);
  store_->set(key, raw_bytes(text));
}

std::optional<std::string> LaunchStore::find(const std::string& key) {
  const Patience limit(patience_);
  if (!store_->check({key})) return std::nullopt;
  const std::vector<std::uint8_t> bytes = store_->get(key);
  return std::string(bytes.begin(), bytes.end());
}

void LaunchStore::forget(const std::string& key) {
  const Patience limit(patience_);
  store_->deleteKey(key);
}

std::int64_t LaunchStore::add_one(const std::string& key) {
  const Patience limit(patience_);
  return store_->add(key, 1);
}

void LaunchStore::set_long(const std::string& key, const std::string& text) {
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < text.size(); at += kPiece, ++pieces) set(numbered(key, pieces), text.substr(at, kPiece));
  // Set the count last, so that take_long() finds only complete values.
  set(key, std::to_string(pieces));
}

std::optional<std::string> LaunchStore::take_long(const std::string& key) {
  const auto pieces = find(key);
  if (!pieces) return std::nullopt;
  std::string text;
  for (std::size_t piece = 0; piece < std::stoul(*pieces); ++piece) {
    text += find(numbered(key, piece)).value();
    forget(numbered(key, piece));
  }
  forget(key);
  return text;
}

c10::intrusive_ptr<c10d::Store> connect_store(const StoreAddress& address, std::chrono::seconds patience) {
  return client_of(address, patience);
}

StoreServer::StoreServer(const StoreAddress& address) {
  Pipe report = make_pipe();
  process_ = fork();
  if (process_ < 0) throw std::runtime_error(fmt::format("could not start a process: {}", std::strerror(errno)));
  if (process_ == 0) {
    report.read.close();
    serve_store(address, report.write.number());
  }
  report.write.close();
  std::string wrong;
  std::array<char, 1024> part;
  ssize_t count;
  while ((count = read(report.read.number(), part.data(), part.size())) != 0) {
    if (count > 0) wrong.append(part.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  if (wrong.empty()) return;
  waitpid(process_, nullptr, 0);
  throw std::runtime_error(wrong);
}

StoreServer::~StoreServer() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string address_towards(const StoreAddress& host) {
  const auto wrong = [&](const std::string& what) {
    return std::runtime_error(fmt::format("the master's host '{}': {}", host.host, what));
  };
  Addresses addresses;
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  const int failed = getaddrinfo(host.host.c_str(), std::to_string(host.port).c_str(), &hints, &addresses.first);
  if (failed != 0) throw wrong(gai_strerror(failed));
  std::string why = "it has no address";
  for (const addrinfo* one = addresses.first; one; one = one->ai_next) {
    const Descriptor socket(::socket(one->ai_family, one->ai_socktype, one->ai_protocol));
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    // Connecting a datagram socket sends nothing: the system only looks up the route.
    if (socket.number() < 0 || connect(socket.number(), one->ai_addr, one->ai_addrlen) != 0 ||
        getsockname(socket.number(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
      why = std::strerror(errno);
      continue;
    }
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
      return text.data();
  }
  throw wrong(why);
}

}  // namespace ordercheck::ranks
