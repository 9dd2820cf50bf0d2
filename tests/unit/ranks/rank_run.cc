#include "unit/ranks/rank_run.h"

#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

namespace shapewise {
namespace {

std::string RankList(const std::vector<int32_t>& ranks) {
  std::string text;
  for (const int32_t rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text.empty() ? "-" : text;
}

std::string Describe(const RankAction& action) {
  return action.what + " " + action.where.function + " (" + action.compile_id + ")";
}

}  // namespace

LogTime TimeAt(double seconds) {
  return {.year = 0,
          .month = 11,
          .day = 21,
          .micros = 8 * int64_t{3'600'000'000} + std::llround(seconds * 1e6)};
}

uint32_t RankRun::InputOf(int32_t rank) {
  const auto [input, is_new] = inputs_.try_emplace(is_mixed_ ? 0 : rank);
  if (is_new) input->second = session_->AddInput("rank" + std::to_string(rank) + ".log");
  return input->second;
}

EventDetail RankRun::DetailOf(EventFact fact, const Compiled& compiled) {
  EventDetail detail;
  detail.fact = std::move(fact);
  detail.function = session_->strings().Intern(compiled.function);
  detail.file = session_->strings().Intern("/srv/app/train.py");
  detail.function_line = 10;
  return detail;
}

void RankRun::Add(int32_t rank, const Compiled& compiled, const EventDetail& detail) {
  Event event;
  event.line = next_line_++;
  event.input = InputOf(rank);
  event.rank = rank;
  event.time = TimeAt(compiled.begin);
  event.compile_id = session_->strings().Intern(compiled.id);
  event.detail = session_->InternDetail(detail);
  session_->AddEvent(event);
}

RankRun& RankRun::Compile(int32_t rank, const Compiled& compiled) {
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

RankRun& RankRun::Recompile(int32_t rank, const Compiled& compiled, std::string_view actual,
                            std::string_view source) {
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

RankRun& RankRun::Break(int32_t rank, const Compiled& compiled, uint32_t line) {
  EventDetail detail =
      DetailOf(GraphBreakFact{.type = session_->strings().Intern("print")}, compiled);
  detail.user_line = line;
  Add(rank, compiled, detail);
  return *this;
}

RankRun& RankRun::Other(int32_t rank, const Compiled& compiled, EventKind kind) {
  Add(rank, compiled, DetailOf(EmptyFact(kind), compiled));
  return *this;
}

std::optional<RankComparison> RankRun::Compare() {
  session_->SortByPlace();
  return FindDivergence(*session_, ReadHistories(*session_));
}

std::string Describe(const RankDivergence& divergence) {
  std::ostringstream text;
  text << DivergenceKindName(divergence.kind) << ' ' << RankList(divergence.ranks) << " | "
       << RankList(divergence.actors) << " did " << Describe(divergence.action) << " | "
       << RankList(divergence.others) << ' '
       << (divergence.instead ? Describe(*divergence.instead) : std::string("nothing"))
       << " | after " << divergence.agreed;
  return text.str();
}

}  // namespace shapewise
