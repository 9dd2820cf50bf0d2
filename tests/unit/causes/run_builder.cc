#include "unit/causes/run_builder.h"

#include <sstream>
#include <utility>

#include "support/catch.h"

namespace shapewise {

Failed FailedSize(std::string_view entry, std::string_view source, int32_t dim,
                  std::string_view expected, std::string_view actual) {
  return {.entry = entry,
          .guard_class = GuardClass::kSize,
          .source = source,
          .dim = dim,
          .expected = expected,
          .actual = actual};
}

Failed FailedInt(std::string_view entry, std::string_view source, std::string_view expected) {
  return {.entry = entry, .guard_class = GuardClass::kInt, .source = source, .expected = expected};
}

GuardTally Guards(uint32_t leaves, uint32_t managers, std::optional<double> latency_us) {
  GuardTally guards;
  guards.leaves = leaves;
  guards.managers = managers;
  guards.latency_us = latency_us;
  return guards;
}

RunBuilder::RunBuilder() { session_->AddInput("train.log"); }

std::vector<ReasonId> RunBuilder::Reasons(const std::vector<Failed>& failed) {
  std::vector<ReasonId> ids;
  for (const Failed& entry : failed) {
    Reason reason;
    reason.entry = Id(entry.entry);
    reason.guard = Id(entry.guard);
    reason.guard_class = entry.guard_class;
    reason.source = Id(entry.source);
    reason.dim = entry.dim;
    reason.expected = Id(entry.expected);
    reason.actual = Id(entry.actual);
    reason.user_file = Id(entry.user_file);
    reason.user_line = entry.user_line;
    reason.user_function = Id(entry.user_function);
    reason.hint = Id(entry.hint);
    ids.push_back(session_->InternReason(reason));
  }
  return ids;
}

RunBuilder& RunBuilder::Recompile(const Compiled& compiled, const std::vector<Failed>& failed) {
  return Other(RecompileFact{Reasons(failed)}, compiled);
}

RunBuilder& RunBuilder::Limit(const Compiled& compiled, int64_t limit,
                              const std::vector<Failed>& failed) {
  return Other(LimitFact{limit, LimitName::kRecompileLimit, Reasons(failed)}, compiled);
}

RunBuilder& RunBuilder::Other(EventFact fact, const Compiled& compiled, const UserFrame& user) {
  while (session_->inputs().size() <= compiled.input) session_->AddInput("more.log");
  Event event;
  event.line = next_line_++;
  event.input = compiled.input;
  event.rank = compiled.rank;
  event.compile_id = Id(compiled.id);
  event.detail = session_->InternDetail({.function = Id(compiled.function),
                                         .file = Id(compiled.file),
                                         .function_line = compiled.line,
                                         .user_file = Id(user.file),
                                         .user_line = user.line,
                                         .user_function = Id(user.function),
                                         .fact = std::move(fact)});
  session_->AddEvent(event);
  return *this;
}

RunBuilder& RunBuilder::Compile(const Compiled& compiled, const Took& took) {
  while (session_->inputs().size() <= compiled.input) session_->AddInput("more.log");
  Compilation compilation;
  compilation.input = compiled.input;
  compilation.line = next_line_++;
  compilation.rank = compiled.rank;
  compilation.compile_id = Id(compiled.id);
  compilation.outcome = took.outcome;
  compilation.is_finished = took.is_finished;
  if (took.outcome != CompileOutcome::kBackward) {
    compilation.function = Id(compiled.function);
    compilation.file = Id(compiled.file);
    compilation.function_line = compiled.line;
  }
  CompileSeconds& seconds = compilation.seconds;
  seconds.total = took.total;
  seconds.backend = took.backend;
  seconds.inductor = took.inductor;
  seconds.code_gen = took.code_gen;
  seconds.before_restart = took.before_restart;
  seconds.cache_saved = took.cache_saved;
  compilation.restarts = took.restarts;
  compilation.guards = took.guards;
  compilation.cache = took.cache;
  session_->AddCompilation(std::move(compilation));
  if (took.outcome != CompileOutcome::kGraph || !took.is_finished) return *this;
  return Other(CompileFact{.seconds = took.total}, compiled);
}

RunBuilder& RunBuilder::Print(const Compiled& compiled, const GuardTally& guards) {
  PrintedGuards printed;
  printed.input = compiled.input;
  printed.line = next_line_++;
  printed.rank = compiled.rank;
  printed.compile_id = Id(compiled.id);
  printed.function = Id(compiled.function);
  printed.file = Id(compiled.file);
  printed.function_line = compiled.line;
  printed.guards = guards;
  session_->AddPrintedGuards(std::move(printed));
  return *this;
}

Cause RunBuilder::FoldToOne() const {
  const std::vector<Cause> causes = Fold();
  REQUIRE(causes.size() == 1);
  return causes[0];
}

std::string Describe(const Cause& cause) {
  std::ostringstream text;
  const auto place = [&text](const Place& where) {
    text << where.function << '@' << where.file << ':' << where.line << ' ';
  };
  text << CauseKindName(cause.kind) << ' ';
  place(cause.where);
  place(cause.user);
  text << cause.display_function << ' ';
  if (cause.culprit) {
    text << GuardClassName(cause.culprit->guard_class) << ' ' << cause.culprit->source << ' '
         << cause.culprit->dim << ' ';
  }
  for (const std::string& value : cause.values) text << value << ',';
  text << ' ' << cause.distinct_values << ' ' << ValuePatternName(cause.pattern) << " x"
       << cause.count << ' ' << cause.limit_hit << ' ' << LimitNameText(cause.limit_name) << ' '
       << cause.limit << ' ' << cause.hint << ' ' << cause.gb << ' ' << cause.type << ' '
       << cause.context << ' ' << cause.message << ' ' << cause.why << ' ' << cause.action << ' '
       << cause.fatal << ' ' << cause.amount.value_or(-1) << ' ' << cause.cost_seconds.value_or(-1)
       << " ranks";
  for (const int32_t rank : cause.ranks) text << ' ' << rank;
  text << " events " << cause.events.size();
  return text.str();
}

std::vector<std::string> Describe(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes) texts.push_back(Describe(cause));
  return texts;
}

}  // namespace shapewise
