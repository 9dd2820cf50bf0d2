// Runs of several ranks made by hand, as structured traces or as text.

#ifndef SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_
#define SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/session.h"
#include "ranks/ranks.h"

namespace shapewise {

/// One function of the program that the ranks run.
struct Compiled {
  std::string_view id;
  std::string_view function;
  double begin = 0;    ///< seconds since the job began
  double seconds = 1;  ///< duration; not in text logs
  CacheOutcome cache = CacheOutcome::kNone;
  bool is_finished = true;
};

/// Adds what ranks do, each rank in order.
class RankRun {
 public:
  /// Structured traces, one input a rank.
  static RankRun Traces() { return RankRun(true, false); }
  /// Text, all ranks in one input or each in its own.
  static RankRun Text() { return RankRun(false, true); }
  static RankRun TextFiles() { return RankRun(false, false); }

  /// A compile; not in text logs.
  RankRun& Compile(int32_t rank, const Compiled& compiled);

  /// A recompile whose size `source`[0] was 8 and came as `actual`; of traces, the compile, too.
  RankRun& Recompile(int32_t rank, const Compiled& compiled, std::string_view actual,
                     std::string_view source = "x");

  /// A graph break at `line`.
  RankRun& Break(int32_t rank, const Compiled& compiled, uint32_t line);

  /// Another event.
  RankRun& Other(int32_t rank, const Compiled& compiled, EventKind kind);

  Session& session() { return *session_; }
  std::optional<RankComparison> Compare();

 private:
  RankRun(bool is_structured, bool is_mixed) : is_structured_(is_structured), is_mixed_(is_mixed) {}

  uint32_t InputOf(int32_t rank);
  EventDetail DetailOf(EventFact fact, const Compiled& compiled);
  void Add(int32_t rank, const Compiled& compiled, const EventDetail& detail);

  bool is_structured_;
  bool is_mixed_;
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  std::map<int32_t, uint32_t> inputs_;
  uint64_t next_line_ = 1;
};

/// When a job that began at 08:00:00 was `seconds` old.
LogTime TimeAt(double seconds);

/// A difference in one line: "recompile 1 | 1 did recompile f (0/1) | 0 compile g (1/0) | after 2".
std::string Describe(const RankDivergence& divergence);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_
