// Runs of several ranks made by hand, as structured traces or as text.

#ifndef SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_
#define SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// When a job that began at 08:00:00 was `seconds` old.
inline LogTime TimeAt(double seconds) {
  return {.year = 0,
          .month = 11,
          .day = 21,
          .micros = 8 * int64_t{3'600'000'000} + std::llround(seconds * 1e6)};
}

/// Adds what ranks do, each rank in order.
class RankRun {
 public:
  /// Structured traces, one input a rank.
  static RankRun Traces() { return RankRun(true, false); }
  /// Text, all ranks in one input or each in its own.
  static RankRun Text() { return RankRun(false, true); }
  static RankRun TextFiles() { return RankRun(false, false); }

  /// A compile; not in text logs.
  RankRun& Compile(int32_t rank, const Compiled& compiled) {
    if (!is_structured_) return *this;
    Compilation compilation;
    compilation.input = InputOf(rank);
    compilation.line = next_line_++;
    compilation.time = TimeAt(compiled.begin + (compiled.is_finished ? compiled.seconds : 0));
    compilation.rank = rank;
    compilation.compile_id = session_->strings().Intern(compiled.id);
    compilation.function = session_->strings().Intern(compiled.function);
    compilation.function_line = 10;
    compilation.cache = compiled.cache;
    compilation.is_finished = compiled.is_finished;
    if (compiled.is_finished) compilation.seconds.total = compiled.seconds;
    session_->AddCompilation(std::move(compilation));
    return *this;
  }

  /// A recompile whose size `source`[0] was 8 and came as `actual`; of traces, the compile, too.
  RankRun& Recompile(int32_t rank, const Compiled& compiled, std::string_view actual,
                     std::string_view source = "x") {
    StringPool& strings = session_->strings();
    Reason reason;
    reason.guard_class = GuardClass::kSize;
    reason.source = strings.Intern(source);
    reason.dim = 0;
    reason.expected = strings.Intern("8");
    reason.actual = strings.Intern(actual);
    reason.guard =
        strings.Intern("size of " + std::string(source) + " was 8, is " + std::string(actual));
    Add(rank, compiled, DetailOf(RecompileFact{{session_->InternReason(reason)}}, compiled));
    return Compile(rank, compiled);
  }

  /// A graph break at `line`.
  RankRun& Break(int32_t rank, const Compiled& compiled, uint32_t line) {
    EventDetail detail =
        DetailOf(GraphBreakFact{.type = session_->strings().Intern("print")}, compiled);
    detail.user_line = line;
    Add(rank, compiled, detail);
    return *this;
  }

  /// Another event.
  RankRun& Other(int32_t rank, const Compiled& compiled, EventKind kind) {
    Add(rank, compiled, DetailOf(EmptyFact(kind), compiled));
    return *this;
  }

  Session& session() { return *session_; }

  std::optional<RankComparison> Compare() {
    session_->SortByPlace();
    return FindDivergence(*session_, ReadHistories(*session_));
  }

 private:
  RankRun(bool is_structured, bool is_mixed) : is_structured_(is_structured), is_mixed_(is_mixed) {}

  uint32_t InputOf(int32_t rank) {
    const auto [input, is_new] = inputs_.try_emplace(is_mixed_ ? 0 : rank);
    if (is_new) input->second = session_->AddInput("rank" + std::to_string(rank) + ".log");
    return input->second;
  }

  EventDetail DetailOf(EventFact fact, const Compiled& compiled) {
    EventDetail detail;
    detail.fact = std::move(fact);
    detail.function = session_->strings().Intern(compiled.function);
    detail.file = session_->strings().Intern("/srv/app/train.py");
    detail.function_line = 10;
    return detail;
  }

  void Add(int32_t rank, const Compiled& compiled, const EventDetail& detail) {
    Event event;
    event.line = next_line_++;
    event.input = InputOf(rank);
    event.rank = rank;
    event.time = TimeAt(compiled.begin);
    event.compile_id = session_->strings().Intern(compiled.id);
    event.detail = session_->InternDetail(detail);
    session_->AddEvent(event);
  }

  bool is_structured_;
  bool is_mixed_;
  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  std::map<int32_t, uint32_t> inputs_;
  uint64_t next_line_ = 1;
};

inline std::string RankList(const std::vector<int32_t>& ranks) {
  std::string text;
  for (const int32_t rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text.empty() ? "-" : text;
}

inline std::string Describe(const RankAction& action) {
  return action.what + " " + action.where.function + " (" + action.compile_id + ")";
}

/// A difference in one line: "recompile 1 | 1 did recompile f (0/1) | 0 compile g (1/0) | after 2".
inline std::string Describe(const RankDivergence& divergence) {
  std::ostringstream text;
  text << DivergenceKindName(divergence.kind) << ' ' << RankList(divergence.ranks) << " | "
       << RankList(divergence.actors) << " did " << Describe(divergence.action) << " | "
       << RankList(divergence.others) << ' '
       << (divergence.instead ? Describe(*divergence.instead) : std::string("nothing"))
       << " | after " << divergence.agreed;
  return text.str();
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_RANKS_RANK_RUN_H_
