// Sessions made by hand, for tests of what is folded out of them.

#ifndef SHAPEWISE_TESTS_UNIT_CAUSES_RUN_BUILDER_H_
#define SHAPEWISE_TESTS_UNIT_CAUSES_RUN_BUILDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "causes/cause.h"
#include "model/session.h"

namespace shapewise {

/// A failed cache entry, as a reason of a recompile or limit.
struct Failed {
  std::string_view entry = {};
  GuardClass guard_class = GuardClass::kOther;
  std::string_view source = {};
  int32_t dim = -1;
  std::string_view expected = {};
  std::string_view actual = {};
  std::string_view user_file = {};
  uint32_t user_line = 0;
  std::string_view user_function = {};
  std::string_view hint = {};
  std::string_view guard = {};
};

/// "tensor 'SOURCE' size mismatch at index DIM. expected EXPECTED, actual ACTUAL".
Failed FailedSize(std::string_view entry, std::string_view source, int32_t dim,
                  std::string_view expected, std::string_view actual);

/// "SOURCE == EXPECTED".
Failed FailedInt(std::string_view entry, std::string_view source, std::string_view expected);

/// The compile that an event belongs to.
struct Compiled {
  std::string_view id = {};
  std::string_view function = "forward";
  std::string_view file = "/app/model.py";
  uint32_t line = 10;
  int32_t rank = kNoRank;
  uint32_t input = 0;
};

/// One attempt to compile, as in a structured trace.
struct Took {
  CompileOutcome outcome = CompileOutcome::kGraph;
  std::optional<double> total = {};
  std::optional<double> backend = {};
  std::optional<double> inductor = {};
  std::optional<double> code_gen = {};
  std::optional<double> before_restart = {};
  std::optional<double> cache_saved = {};
  uint32_t restarts = 0;
  bool is_finished = true;
  GuardTally guards = {};
  CacheOutcome cache = CacheOutcome::kNone;
};

/// As many guards, of no kind.
GuardTally Guards(uint32_t leaves, uint32_t managers = 0, std::optional<double> latency_us = {});

/// The user's line that an event names.
struct UserFrame {
  std::string_view function = "";
  std::string_view file = "";
  uint32_t line = 0;
};

/// Adds events in the order of the calls, each on a line of its own.
class RunBuilder {
 public:
  RunBuilder();

  Session& session() { return *session_; }
  StrId Id(std::string_view text) { return session_->strings().Intern(text); }

  RunBuilder& Recompile(const Compiled& compiled, const std::vector<Failed>& failed);
  RunBuilder& Limit(const Compiled& compiled, int64_t limit, const std::vector<Failed>& failed);

  /// Any other event.
  RunBuilder& Other(EventFact fact, const Compiled& compiled, const UserFrame& user = {});

  /// An event without compiled frame.
  RunBuilder& Placeless(EventFact fact, const UserFrame& user = {}) {
    return Other(std::move(fact), {.function = "", .file = "", .line = 0}, user);
  }

  /// The end of a compilation; a graph with ops makes a compile event as well.
  RunBuilder& Compile(const Compiled& compiled, const Took& took);

  /// Guards that a text log prints.
  RunBuilder& Print(const Compiled& compiled, const GuardTally& guards);

  /// What its engines take besides the session.
  CompileHistory History() const { return CompileHistory(*session_); }

  std::vector<Cause> Fold() const { return FoldCauses(*session_, History()); }

  /// The only cause of the run; fails the test if there are more or none.
  Cause FoldToOne() const;

 private:
  std::vector<ReasonId> Reasons(const std::vector<Failed>& failed);

  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  uint64_t next_line_ = 1;
};

/// Everything a cause says but the indices of its events, one line, to compare with.
std::string Describe(const Cause& cause);
std::vector<std::string> Describe(const std::vector<Cause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_CAUSES_RUN_BUILDER_H_
