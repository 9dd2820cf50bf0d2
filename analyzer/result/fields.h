// The saved fields of a result, in one list for the JSON writer and reader.
//
// VisitFields(visitor, object) calls visitor.Always(name, member) for members that are always
// written, and visitor.OrNull(name, member) for members that are null in JSON if empty, in the
// order of the file.

#ifndef SHAPEWISE_RESULT_FIELDS_H_
#define SHAPEWISE_RESULT_FIELDS_H_

#include <concepts>
#include <type_traits>

#include "result/finding.h"

namespace shapewise {

/// `Struct`, const or not.
template <typename Candidate, typename Struct>
concept MaybeConstResult = std::same_as<std::remove_const_t<Candidate>, Struct>;

template <typename Visitor, MaybeConstResult<Identity> Struct>
void VisitFields(Visitor&& visit, Struct& identity) {
  visit.Always("kind", identity.kind);
  visit.OrNull("function", identity.function);
  visit.OrNull("file", identity.file);
  visit.OrNull("type", identity.type);
  visit.OrNull("class", identity.guard_class);
  visit.OrNull("source", identity.source);
  visit.OrNull("dim", identity.dim);
}

template <typename Visitor, MaybeConstResult<NextStep> Struct>
void VisitFields(Visitor&& visit, Struct& step) {
  visit.Always("text", step.text);
  visit.OrNull("code", step.code);
}

template <typename Visitor, MaybeConstResult<Finding> Struct>
void VisitFields(Visitor&& visit, Struct& finding) {
  visit.Always("rule", finding.rule);
  visit.Always("name", finding.name);
  visit.Always("severity", finding.severity);
  visit.Always("message", finding.message);
  visit.Always("where", finding.where);
  visit.Always("user", finding.user);
  visit.OrNull("cause", finding.cause);
  visit.Always("values", finding.values);
  visit.OrNull("pattern", finding.pattern);
  visit.Always("count", finding.count);
  visit.OrNull("cost_seconds", finding.cost_seconds);
  visit.Always("ranks", finding.ranks);
  visit.Always("events", finding.events);
  visit.Always("advice", finding.advice);
  visit.Always("next_steps", finding.next_steps);
  visit.OrNull("torch", finding.torch);
  visit.Always("runs_eager", finding.runs_eager);
  visit.Always("identity", finding.identity);
  visit.Always("fingerprint", finding.fingerprint);
}

/// Event counts: the numeric part of a summary.
template <typename Visitor, MaybeConstResult<RunSummary> Struct>
void VisitCounts(Visitor&& visit, Struct& summary) {
  visit.Always("recompiles", summary.recompiles);
  visit.Always("recompile_limit_hits", summary.recompile_limit_hits);
  visit.Always("graph_breaks", summary.graph_breaks);
  visit.Always("graph_break_sites", summary.graph_break_sites);
  visit.Always("skipped_frames", summary.skipped_frames);
  visit.Always("compiles", summary.compiles);
  visit.OrNull("compile_seconds", summary.compile_seconds);
}

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_FIELDS_H_
