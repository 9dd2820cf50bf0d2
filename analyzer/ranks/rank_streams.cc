#include "ranks/rank_parts.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "history/code_object_history.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// Times further apart than this have a New Year between them, because prefixes do not contain the
// year.
constexpr double kMaxSpanDays = 180;
constexpr size_t kMaxNamedRanks = 8;

std::optional<ActKind> KindOf(EventKind kind) {
  switch (kind) {
    case EventKind::kRecompile:
    case EventKind::kImpliedRecompile:
      return ActKind::kRecompile;
    case EventKind::kRecompileLimit:
      return ActKind::kLimit;
    case EventKind::kGraphBreak:
      return ActKind::kBreak;
    case EventKind::kSkippedFrame:
      return ActKind::kSkip;
    case EventKind::kCompileError:
    case EventKind::kConstraintViolation:
      return ActKind::kError;
    case EventKind::kCompile:
      return ActKind::kCompile;
    default:
      return std::nullopt;
  }
}

// An act that is being collected: its place, and contents that are the same in every process.
struct RawAct {
  Act act;
  std::string_view outcome;  // for a compile that ended: CompileOutcomeName
  std::string_view function;
  uint32_t function_line = 0;
  std::string_view type;  // for a break or an exception
  uint32_t user_line = 0;
  uint32_t input = 0;
  uint64_t line = 0;
  StrId compile_id{};
  bool is_record = false;  // from the artifacts recompiles and graph_breaks

  auto Loose() const {
    const uint32_t compile = act.number ? act.number->compile : 0;
    return std::tuple(act.kind, outcome, compile, function, function_line, type, user_line);
  }
  auto Exact() const { return std::tuple(act.number, Loose()); }
};

using ExactContent = decltype(RawAct().Exact());
using LooseContent = decltype(RawAct().Loose());

class Gatherer {
 public:
  Gatherer(const Session& session, llvm::ArrayRef<CodeObjectHistory> histories)
      : session_(session), histories_(histories) {}

  RankStreams Gather() {
    ChooseSource();
    AddEvents();
    AddCompilations();
    RankStreams result;
    result.is_structured = is_structured_;
    const bool has_acts =
        std::ranges::any_of(raw_, [](const auto& entry) { return !entry.second.empty(); });
    if (raw_.size() < 2 || !has_acts) return result;

    NameImpliedFunctions();
    SortByTime();
    LeaveOutRepeaters();
    LeaveOutSilent();
    DropUnfinishedEnds();
    LeaveOutEmpty();
    DropTimesOfTwoYears();
    NumberKeys();
    for (auto& [rank, acts] : raw_) result.streams.push_back(Finish(rank, acts));
    result.gaps = std::move(gaps_);
    return result;
  }

 private:
  // Structured traces contain more, and a text log of the same run would repeat everything.
  void ChooseSource() {
    is_trace_.assign(session_.inputs().size(), false);
    std::set<int32_t> traced;
    for (const Compilation& compilation : session_.compilations()) {
      is_trace_[compilation.input] = true;
      if (compilation.rank != kNoRank) traced.insert(compilation.rank);
    }
    is_structured_ = traced.size() >= 2;
  }

  void AddEvents() {
    for (size_t index = 0; index < session_.events().size(); ++index) {
      const Event& event = session_.events()[index];
      if (event.rank == kNoRank || is_trace_[event.input] != is_structured_) continue;
      // A rank exists as soon as it has any event.
      std::vector<RawAct>& acts = raw_[event.rank];
      const EventDetail& detail = session_.detail(event);
      const std::optional<ActKind> kind = KindOf(detail.kind());
      // For structured traces the compilations themselves are known.
      if (!kind || (is_structured_ && *kind == ActKind::kCompile)) continue;
      // For an incomplete block, it is unknown what the other ranks would have to do as well.
      if (detail.cut && detail.kind() == EventKind::kRecompileLimit) continue;

      RawAct raw;
      raw.act.kind = *kind;
      raw.act.event = index;
      raw.act.begin = SecondsOf(event.time);
      // The text around an exception, including ids and frames, differs from rank to rank.
      if (*kind != ActKind::kError) {
        raw.act.number = ParseCompileNumber(session_.text(event.compile_id));
        raw.function = session_.text(detail.function);
        raw.function_line = detail.function_line;
      }
      const bool is_stop = *kind == ActKind::kBreak || *kind == ActKind::kSkip;
      if (is_stop || *kind == ActKind::kError) raw.type = session_.text(detail.type());
      if (is_stop) raw.user_line = detail.user_line;
      raw.input = event.input;
      raw.line = event.line;
      raw.compile_id = event.compile_id;
      raw.is_record = *kind == ActKind::kRecompile || *kind == ActKind::kBreak;
      acts.push_back(raw);
    }
  }

  void AddCompilations() {
    if (!is_structured_) return;
    const std::map<const Compilation*, size_t> events = AskHistories();
    for (size_t index = 0; index < session_.compilations().size(); ++index) {
      const Compilation& compilation = session_.compilations()[index];
      if (compilation.rank == kNoRank) continue;
      RawAct raw;
      raw.act.kind = ActKind::kCompile;
      raw.act.compilation = index;
      const auto event = events.find(&compilation);
      if (event != events.end()) raw.act.event = event->second;
      raw.act.seconds = compilation.seconds.total.value_or(kNoTime);
      raw.act.begin = SecondsOf(compilation.time);
      // Its metrics are written when it is over.
      if (compilation.is_finished && raw.act.has_end()) raw.act.begin -= raw.act.seconds;
      raw.outcome = CompileOutcomeName(compilation.outcome);
      raw.act.number = ParseCompileNumber(session_.text(compilation.compile_id));
      raw.function = session_.text(compilation.function);
      raw.function_line = compilation.function_line;
      raw.input = compilation.input;
      raw.line = compilation.line;
      raw.compile_id = compilation.compile_id;
      raw_[compilation.rank].push_back(raw);
    }
  }

  /// Gives each recompile the duration of its compilation, and returns the compile event of each
  /// compilation.
  std::map<const Compilation*, size_t> AskHistories() {
    std::map<const Compilation*, size_t> compile_events;
    std::map<size_t, double> seconds;  // of recompiles, by event
    for (const CodeObjectHistory& history : histories_) {
      for (const auto& [index, number] : history.events) {
        const auto found = history.attempts.find(number);
        if (found == history.attempts.end() || found->second.compilation == nullptr) continue;
        const CompileAttempt& attempt = found->second;
        const auto kind = KindOf(session_.detail(session_.events()[index]).kind());
        if (kind == ActKind::kRecompile) {
          seconds[index] = attempt.compilation->seconds.total.value_or(kNoTime);
        } else if (kind == ActKind::kCompile) {
          compile_events.try_emplace(attempt.compilation, index);
          for (const Compilation* backward : attempt.backward) {
            compile_events.try_emplace(backward, index);
          }
        }
      }
    }
    for (auto& [rank, acts] : raw_) {
      for (RawAct& raw : acts) {
        const auto found = seconds.find(raw.act.event);
        if (found != seconds.end()) raw.act.seconds = found->second;
      }
    }
    return compile_events;
  }

  // A recompile that is known only from its id corresponds to the other ranks' record with this id.
  void NameImpliedFunctions() {
    using Name = std::pair<std::string_view, uint32_t>;
    std::map<CompileNumber, std::set<Name>> names;
    for (const auto& [rank, acts] : raw_) {
      for (const RawAct& raw : acts) {
        if (raw.act.kind != ActKind::kRecompile || !raw.act.number) continue;
        if (raw.function.empty()) continue;
        names[*raw.act.number].insert({raw.function, raw.function_line});
      }
    }
    for (auto& [rank, acts] : raw_) {
      for (RawAct& raw : acts) {
        if (raw.act.kind != ActKind::kRecompile || !raw.act.number) continue;
        if (!raw.function.empty()) continue;
        const auto found = names.find(*raw.act.number);
        if (found == names.end() || found->second.size() != 1) continue;
        std::tie(raw.function, raw.function_line) = *found->second.begin();
      }
    }
  }

  // Within one input, lines determine the order, whatever the clock; across inputs, the one that
  // began first comes first.
  void SortByTime() {
    for (auto& [rank, acts] : raw_) {
      std::map<uint32_t, double> first_times;
      for (const RawAct& raw : acts) {
        const double begin = raw.act.begin_or_zero();
        double& first = first_times.try_emplace(raw.input, begin).first->second;
        first = std::min(first, begin);
      }
      const auto in_line = [](const RawAct& raw) {
        return std::tuple(raw.line, raw.act.kind, raw.act.event, raw.act.compilation);
      };
      std::ranges::sort(acts, [&](const RawAct& a, const RawAct& b) {
        if (a.input != b.input) {
          return std::pair(first_times[a.input], a.input) <
                 std::pair(first_times[b.input], b.input);
        }
        return in_line(a) < in_line(b);
      });
    }
  }

  void LeaveOut(const std::set<int32_t>& ranks, std::string_view because) {
    if (ranks.empty()) return;
    for (const int32_t rank : ranks) raw_.erase(rank);
    std::string names = Joined(ranks | std::views::take(kMaxNamedRanks), ", ");
    if (ranks.size() > kMaxNamedRanks) {
      names += " and " + std::to_string(ranks.size() - kMaxNamedRanks) + " more";
    }
    gaps_.push_back("Not compared with other ranks: " + names + "; " + std::string(because));
  }

  // The same compile twice: two processes, or a reset; the acts cannot be assigned.
  void LeaveOutRepeaters() {
    std::set<int32_t> repeaters;
    for (const auto& [rank, acts] : raw_) {
      std::set<std::tuple<StrId, ExactContent>> seen;
      for (const RawAct& raw : acts) {
        const bool is_unique =
            raw.act.kind == ActKind::kRecompile || raw.act.kind == ActKind::kCompile;
        if (!is_unique || raw.compile_id == StrId::kNone) continue;
        if (!seen.insert({raw.compile_id, raw.Exact()}).second) repeaters.insert(rank);
      }
    }
    LeaveOut(repeaters,
             "the same compile ids occur twice there: several runs or processes, or "
             "torch._dynamo.reset().");
  }

  void LeaveOutEmpty() {
    std::set<int32_t> empty;
    for (const auto& [rank, acts] : raw_) {
      if (acts.empty()) empty.insert(rank);
    }
    if (empty.size() < raw_.size()) LeaveOut(empty, "no compile of theirs is in the log.");
  }

  // Logs are often filtered by rank: if others contain records, a log without any shows nothing
  // about its rank.
  void LeaveOutSilent() {
    if (is_structured_) return;
    std::set<int32_t> silent;
    for (const auto& [rank, acts] : raw_) {
      const bool has_record =
          std::ranges::any_of(acts, [](const RawAct& raw) { return raw.is_record; });
      if (!has_record) silent.insert(rank);
    }
    if (silent.size() == raw_.size()) return;
    LeaveOut(
        silent,
        "the log contains no recompile or graph break of theirs: either none occurred, or their "
        "log is filtered.");
  }

  // If the process ended, or the log is truncated, during a compile, its outcome is unknown.
  void DropUnfinishedEnds() {
    for (auto& [rank, acts] : raw_) {
      while (!acts.empty() && acts.back().act.compilation != kNoRecord &&
             !session_.compilations()[acts.back().act.compilation].is_finished) {
        acts.pop_back();
      }
    }
  }

  void DropTimesOfTwoYears() {
    double first = kNoTime;
    double last = kNoTime;
    for (const auto& [rank, acts] : raw_) {
      for (const RawAct& raw : acts) {
        first = std::fmin(first, raw.act.begin);
        last = std::fmax(last, raw.act.begin);
      }
    }
    if (!(last - first > kMaxSpanDays * kSecondsPerDay)) return;
    for (auto& [rank, acts] : raw_) {
      for (RawAct& raw : acts) raw.act.begin = kNoTime;
    }
  }

  RankStream Finish(int32_t rank, std::vector<RawAct>& raw_acts) const {
    RankStream stream;
    stream.rank = rank;
    if (!raw_acts.empty()) {
      const RawAct& first = raw_acts.front();
      stream.input = first.input;
      stream.begins_with_program = is_structured_ && first.act.number == CompileNumber{0, 0};
    }
    stream.acts.reserve(raw_acts.size());
    for (RawAct& raw : raw_acts) {
      const bool is_again = raw.act.kind == ActKind::kRecompile || raw.act.kind == ActKind::kLimit;
      raw.act.is_first = !is_again && raw.act.number && raw.act.number->compile == 0;
      stream.acts.push_back(raw.act);
    }
    return stream;
  }

  void NumberKeys() {
    std::map<ExactContent, uint32_t> exact;
    std::map<LooseContent, uint32_t> loose;
    std::map<std::pair<std::string_view, uint32_t>, uint32_t> functions;
    for (const auto& [rank, acts] : raw_) {
      for (const RawAct& raw : acts) {
        exact.try_emplace(raw.Exact());
        loose.try_emplace(raw.Loose());
        functions.try_emplace({raw.function, raw.function_line});
      }
    }
    uint32_t next = 0;
    for (auto& [content, key] : exact) key = next++;
    next = 0;
    for (auto& [content, key] : loose) key = next++;
    next = 1;
    for (auto& [name, key] : functions) key = name.first.empty() ? 0 : next++;
    for (auto& [rank, acts] : raw_) {
      for (RawAct& raw : acts) {
        raw.act.key = exact[raw.Exact()];
        raw.act.loose_key = loose[raw.Loose()];
        raw.act.function = functions[{raw.function, raw.function_line}];
      }
    }
  }

  const Session& session_;
  const llvm::ArrayRef<CodeObjectHistory> histories_;
  bool is_structured_ = false;
  std::vector<bool> is_trace_;                  // by input: it contains compilations
  std::map<int32_t, std::vector<RawAct>> raw_;  // by rank
  std::vector<std::string> gaps_;
};

constexpr int kLeapYear = 2024;  // used when the year is not printed, because it has all days
constexpr int64_t kMicrosPerDay = 86'400'000'000;

std::chrono::sys_days DayOf(const LogTime& time) {
  return std::chrono::sys_days(
      std::chrono::year_month_day(std::chrono::year(time.year != 0 ? time.year : kLeapYear),
                                  std::chrono::month(time.month), std::chrono::day(time.day)));
}

}  // namespace

RankStreams GatherStreams(const Session& session, llvm::ArrayRef<CodeObjectHistory> histories) {
  return Gatherer(session, histories).Gather();
}

double SecondsOf(const LogTime& time) {
  if (!time.known() || time.month == 0) return kNoTime;
  return static_cast<double>(DayOf(time).time_since_epoch().count()) * kSecondsPerDay +
         static_cast<double>(time.micros) * 1e-6;
}

LogTime EarlierBy(const LogTime& time, double seconds) {
  if (!time.known() || time.month == 0 || std::abs(seconds) > 366 * kSecondsPerDay) return time;
  int64_t micros = time.micros - std::llround(seconds * 1e6);
  std::chrono::sys_days day = DayOf(time);
  while (micros < 0) {
    micros += kMicrosPerDay;
    day -= std::chrono::days(1);
  }
  day += std::chrono::days(micros / kMicrosPerDay);
  const std::chrono::year_month_day date(day);
  LogTime earlier;
  if (time.year != 0) earlier.year = static_cast<int>(date.year());
  earlier.month = static_cast<uint8_t>(static_cast<unsigned>(date.month()));
  earlier.day = static_cast<uint8_t>(static_cast<unsigned>(date.day()));
  earlier.micros = micros % kMicrosPerDay;
  return earlier;
}

}  // namespace shapewise
