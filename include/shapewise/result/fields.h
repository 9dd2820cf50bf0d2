// What of a result is saved and read back, once, for the writer of JSON and for its reader.
//
// VisitFields(visitor, object) calls visitor.Always(name, member) for what is always told, and
// visitor.IfTold(name, member) for what is null in JSON where it is empty, in the order of the
// file.

#ifndef SHAPEWISE_RESULT_FIELDS_H_
#define SHAPEWISE_RESULT_FIELDS_H_

#include <concepts>
#include <type_traits>

#include "shapewise/result/finding.h"

namespace shapewise {

/// `Struct`, or the same read-only.
template <typename Candidate, typename Struct>
concept MaybeConstResult = std::same_as<std::remove_const_t<Candidate>, Struct>;

template <typename Visitor, MaybeConstResult<Identity> Struct>
void VisitFields(Visitor&& visit, Struct& identity) {
  visit.Always("kind", identity.kind);
  visit.IfTold("function", identity.function);
  visit.IfTold("file", identity.file);
  visit.IfTold("type", identity.type);
  visit.IfTold("class", identity.guard_class);
  visit.IfTold("source", identity.source);
  visit.IfTold("dim", identity.dim);
}

template <typename Visitor, MaybeConstResult<NextStep> Struct>
void VisitFields(Visitor&& visit, Struct& step) {
  visit.Always("text", step.text);
  visit.IfTold("code", step.code);
}

template <typename Visitor, MaybeConstResult<Finding> Struct>
void VisitFields(Visitor&& visit, Struct& finding) {
  visit.Always("rule", finding.rule);
  visit.Always("name", finding.name);
  visit.Always("severity", finding.severity);
  visit.Always("message", finding.message);
  visit.Always("where", finding.where);
  visit.Always("user", finding.user);
  visit.IfTold("cause", finding.cause);
  visit.Always("values", finding.values);
  visit.IfTold("pattern", finding.pattern);
  visit.Always("count", finding.count);
  visit.IfTold("cost_seconds", finding.cost_seconds);
  visit.Always("ranks", finding.ranks);
  visit.Always("events", finding.events);
  visit.Always("advice", finding.advice);
  visit.Always("next_steps", finding.next_steps);
  visit.IfTold("torch", finding.torch);
  visit.Always("runs_eager", finding.runs_eager);
  visit.Always("identity", finding.identity);
  visit.Always("fingerprint", finding.fingerprint);
}

/// How often things happened: the part of a summary that is only numbers.
template <typename Visitor, MaybeConstResult<RunSummary> Struct>
void VisitCounts(Visitor&& visit, Struct& summary) {
  visit.Always("recompiles", summary.recompiles);
  visit.Always("recompile_limit_hits", summary.recompile_limit_hits);
  visit.Always("graph_breaks", summary.graph_breaks);
  visit.Always("graph_break_sites", summary.graph_break_sites);
  visit.Always("skipped_frames", summary.skipped_frames);
  visit.Always("compiles", summary.compiles);
  visit.IfTold("compile_seconds", summary.compile_seconds);
}

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_FIELDS_H_
