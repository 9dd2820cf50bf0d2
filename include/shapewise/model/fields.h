// The fields of every struct of the model, in one list for all code that visits them.
//
// VisitFields(visitor, object) calls visitor(name, field) for each field in order. Completeness is
// checked where partials are compiled: a member that is missing here breaks the build. The order is
// that of the saved files (see partial.h): a new field may go anywhere, but existing fields keep
// their order and names.

#ifndef SHAPEWISE_MODEL_FIELDS_H_
#define SHAPEWISE_MODEL_FIELDS_H_

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "shapewise/model/compilation.h"
#include "shapewise/model/event.h"
#include "shapewise/model/session.h"
#include "shapewise/model/shape_guard.h"
#include "shapewise/model/span.h"

namespace shapewise {

/// `Struct`, const or not.
template <typename Candidate, typename Struct>
concept MaybeConst = std::same_as<std::remove_const_t<Candidate>, Struct>;

namespace fields_internal {
struct NoVisitor {
  void operator()(std::string_view, const auto&) const {}
};
}  // namespace fields_internal

/// A struct whose fields are listed here.
template <typename Struct>
concept HasFields = requires(Struct& object) { VisitFields(fields_internal::NoVisitor(), object); };

constexpr void VisitFields(auto&& visit, MaybeConst<LogTime> auto& time) {
  visit("year", time.year);
  visit("month", time.month);
  visit("day", time.day);
  visit("micros", time.micros);
}

constexpr void VisitFields(auto&& visit, MaybeConst<Input> auto& input) {
  visit("name", input.name);
  visit("format", input.format);
  visit("bytes", input.bytes);
  visit("lines", input.lines);
  visit("torch_lines", input.torch_lines);
  visit("first_line", input.first_line);
  visit("is_binary", input.is_binary);
  visit("unknown_lines", input.unknown_lines);
  visit("first_unknown_line", input.first_unknown_line);
  visit("first_unknown", input.first_unknown);
}

constexpr void VisitFields(auto&& visit, MaybeConst<VersionMark> auto& mark) {
  visit("what", mark.what);
  visit("from", mark.from);
  visit("until", mark.until);
  visit("input", mark.input);
  visit("line", mark.line);
}

constexpr void VisitFields(auto&& visit, MaybeConst<Reason> auto& reason) {
  visit("entry", reason.entry);
  visit("guard", reason.guard);
  visit("class", reason.guard_class);
  visit("value_type", reason.value_type);
  visit("source", reason.source);
  visit("dim", reason.dim);
  visit("expected", reason.expected);
  visit("actual", reason.actual);
  visit("user_file", reason.user_file);
  visit("user_line", reason.user_line);
  visit("user_function", reason.user_function);
  visit("code", reason.code);
  visit("hint", reason.hint);
}

constexpr void VisitFields(auto&& visit, MaybeConst<RecompileFact> auto& fact) {
  visit("reasons", fact.reasons);
  visit("fatal", fact.fatal);
}

constexpr void VisitFields(auto&& visit, MaybeConst<LimitFact> auto& fact) {
  visit("limit", fact.limit);
  visit("limit_name", fact.limit_name);
  visit("reasons", fact.reasons);
}

constexpr void VisitFields(auto&& visit, MaybeConst<GraphBreakFact> auto& fact) {
  visit("gb", fact.gb);
  visit("type", fact.type);
  visit("repeat", fact.repeat);
  visit("fatal", fact.fatal);
  visit("context", fact.context);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<SkippedFrameFact> auto& fact) {
  visit("why", fact.why);
  visit("type", fact.type);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<CompileFact> auto& fact) {
  visit("seconds", fact.seconds);
  visit("ops", fact.num_ops);
  visit("graph_inputs", fact.graph_inputs);
  visit("cache", fact.cache);
}

constexpr void VisitFields(auto&& visit, MaybeConst<CompileErrorFact> auto& fact) {
  visit("type", fact.type);
  visit("message", fact.message);
  visit("context", fact.context);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ConstraintFact> auto& fact) {
  visit("source", fact.source);
  visit("dim", fact.dim);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<PerfHintFact> auto& fact) {
  visit("hint", fact.hint);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<CudagraphFact> auto& fact) {
  visit("action", fact.action);
  visit("why", fact.why);
  visit("count", fact.count);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<XlaMetricFact> auto& fact) {
  visit("metric", fact.metric);
  visit("count", fact.count);
  visit("steps", fact.steps);
  visit("ops", fact.ops);
  visit("seconds", fact.seconds);
}

constexpr void VisitFields(auto&& visit, MaybeConst<XlaGraph> auto& graph) {
  visit("cause", graph.cause);
  visit("hash", graph.hash);
  visit("graph_inputs", graph.graph_inputs);
  visit("graph_outputs", graph.graph_outputs);
}

constexpr void VisitFields(auto&& visit, MaybeConst<TriggerPlace> auto& place) {
  visit("trigger_file", place.file);
  visit("trigger_line", place.line);
  visit("trigger_function", place.function);
}

constexpr void VisitFields(auto&& visit, MaybeConst<XlaCompileFact> auto& fact) {
  visit("graph", fact.graph);
  visit("graph_input_gb", fact.graph_input_gb);
  visit("trigger", fact.trigger);
}

constexpr void VisitFields(auto&& visit, MaybeConst<XlaExecutionFact> auto& fact) {
  visit("graph", fact.graph);
  visit("trigger", fact.trigger);
  visit("fatal", fact.fatal);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ImpliedBreakFact> auto& fact) {
  visit("trigger", fact.trigger);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ImpliedRecompileFact> auto& fact) {
  visit("reasons", fact.reasons);
}

constexpr void VisitFields(auto&& visit, MaybeConst<TorchscriptFact> auto& fact) {
  visit("message", fact.message);
  visit("action", fact.action);
  visit("type", fact.type);
}

constexpr void VisitFields(auto&& visit, MaybeConst<IgnoredModeFact> auto& fact) {
  visit("why", fact.why);
  visit("message", fact.message);
}

constexpr void VisitFields(auto&& visit, MaybeConst<EventDetail> auto& detail) {
  visit("function", detail.function);
  visit("file", detail.file);
  visit("function_line", detail.function_line);
  visit("user_file", detail.user_file);
  visit("user_line", detail.user_line);
  visit("user_function", detail.user_function);
  visit("fact", detail.fact);
  visit("cut", detail.cut);
}

constexpr void VisitFields(auto&& visit, MaybeConst<Event> auto& event) {
  visit("line", event.line);
  visit("time", event.time);
  visit("input", event.input);
  visit("rank", event.rank);
  visit("compile_id", event.compile_id);
  visit("detail", event.detail);
  visit("folded", event.folded);
}

constexpr void VisitFields(auto&& visit, MaybeConst<CompileSeconds> auto& seconds) {
  visit("total", seconds.total);
  visit("backend", seconds.backend);
  visit("inductor", seconds.inductor);
  visit("code_gen", seconds.code_gen);
  visit("before_restart", seconds.before_restart);
  visit("at_run_time", seconds.at_run_time);
  visit("cache_saved", seconds.cache_saved);
}

constexpr void VisitFields(auto&& visit, MaybeConst<GuardTally::Family> auto& family) {
  visit("source", family.source);
  visit("guards", family.guards);
  visit("members", family.members);
}

constexpr void VisitFields(auto&& visit, MaybeConst<GuardTally> auto& guards) {
  visit("kinds", guards.kinds);
  visit("root_lambdas", guards.root_lambdas);
  visit("families", guards.families);
  visit("leaves", guards.leaves);
  visit("managers", guards.managers);
  visit("latency_us", guards.latency_us);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ShapeGuard> auto& guard) {
  visit("kind", guard.kind);
  visit("is_zero_one", guard.is_zero_one);
  visit("is_duck", guard.is_duck);
  visit("is_operators", guard.is_operators);
  visit("source", guard.source);
  visit("text", guard.text);
  visit("stride", guard.stride);
  visit("properties", guard.properties);
  visit("user_file", guard.user_file);
  visit("user_line", guard.user_line);
  visit("user_function", guard.user_function);
  visit("code", guard.code);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ValueGuard> auto& guard) {
  visit("kind", guard.kind);
  visit("source", guard.source);
  visit("text", guard.text);
}

constexpr void VisitFields(auto&& visit, MaybeConst<GuardTexts> auto& texts) {
  visit("shape", texts.shape);
  visit("values", texts.values);
  visit("others", texts.others);
  visit("left_out", texts.left_out);
  visit("is_printed", texts.is_printed);
}

constexpr void VisitFields(auto&& visit, MaybeConst<InputShape> auto& shape) {
  visit("source", shape.source);
  visit("shape", shape.shape);
  visit("dtype", shape.dtype);
  visit("stride", shape.stride);
}

constexpr void VisitFields(auto&& visit, MaybeConst<SymbolFact> auto& fact) {
  visit("kind", fact.kind);
  visit("symbol", fact.symbol);
  visit("source", fact.source);
  visit("value", fact.value);
  visit("range", fact.range);
  visit("expr", fact.expr);
  visit("user_file", fact.user_file);
  visit("user_line", fact.user_line);
  visit("user_function", fact.user_function);
  visit("line", fact.line);
}

constexpr void VisitFields(auto&& visit, MaybeConst<PayloadPlace> auto& place) {
  visit("name", place.name);
  visit("line", place.line);
}

constexpr void VisitFields(auto&& visit, MaybeConst<NodeShape> auto& node) {
  visit("name", node.name);
  visit("shape", node.shape);
}

constexpr void VisitFields(auto&& visit, MaybeConst<Compilation> auto& compilation) {
  visit("input", compilation.input);
  visit("line", compilation.line);
  visit("time", compilation.time);
  visit("rank", compilation.rank);
  visit("compile_id", compilation.compile_id);
  visit("outcome", compilation.outcome);
  visit("is_finished", compilation.is_finished);
  visit("function", compilation.function);
  visit("file", compilation.file);
  visit("function_line", compilation.function_line);
  visit("user_file", compilation.user_file);
  visit("user_line", compilation.user_line);
  visit("user_function", compilation.user_function);
  visit("start", compilation.start);
  visit("seconds", compilation.seconds);
  visit("num_ops", compilation.num_ops);
  visit("num_inputs", compilation.num_inputs);
  visit("num_guards", compilation.num_guards);
  visit("cache", compilation.cache);
  visit("restarts", compilation.restarts);
  visit("fail_type", compilation.fail_type);
  visit("fail_reason", compilation.fail_reason);
  visit("guards", compilation.guards);
  visit("guard_texts", compilation.guard_texts);
  visit("shapes", compilation.shapes);
  visit("symbols", compilation.symbols);
  visit("payloads", compilation.payloads);
  visit("node_shapes", compilation.node_shapes);
  visit("mutated", compilation.mutated);
}

constexpr void VisitFields(auto&& visit, MaybeConst<PrintedGuards> auto& printed) {
  visit("input", printed.input);
  visit("line", printed.line);
  visit("time", printed.time);
  visit("rank", printed.rank);
  visit("compile_id", printed.compile_id);
  visit("function", printed.function);
  visit("file", printed.file);
  visit("function_line", printed.function_line);
  visit("user_file", printed.user_file);
  visit("user_line", printed.user_line);
  visit("user_function", printed.user_function);
  visit("guards", printed.guards);
  visit("guard_texts", printed.guard_texts);
  visit("symbols", printed.symbols);
}

constexpr void VisitFields(auto&& visit, MaybeConst<Span> auto& span) {
  visit("kind", span.kind);
  visit("clock", span.clock);
  visit("input", span.input);
  visit("line", span.line);
  visit("rank", span.rank);
  visit("number", span.number);
  visit("begin", span.begin);
  visit("seconds", span.seconds);
  visit("name", span.name);
  visit("process", span.process);
  visit("compile_id", span.compile_id);
}

constexpr void VisitFields(auto&& visit, MaybeConst<RegionRuns> auto& runs) {
  visit("input", runs.input);
  visit("line", runs.line);
  visit("rank", runs.rank);
  visit("compile_id", runs.compile_id);
  visit("clock", runs.clock);
  visit("first", runs.first);
  visit("last", runs.last);
  visit("runs", runs.runs);
}

constexpr void VisitFields(auto&& visit, MaybeConst<ServerLine> auto& line) {
  visit("kind", line.kind);
  visit("engine", line.engine);
  visit("input", line.input);
  visit("line", line.line);
  visit("time", line.time);
  visit("worker", line.worker);
  visit("model", line.model);
  visit("server_text", line.text);
  visit("seconds", line.seconds);
  visit("gib", line.gib);
  visit("expected_gib", line.expected_gib);
  visit("count", line.count);
}

namespace fields_internal {

/// Converts to any type, to count members by aggregate initialization.
struct AnyMember {
  template <typename Member>
  operator Member() const;  // NOLINT: the conversion has to be implicit
};

template <typename Struct, size_t... kIndices>
constexpr bool TakesMembers(std::index_sequence<kIndices...>) {
  return requires { Struct{(static_cast<void>(kIndices), AnyMember{})...}; };
}

/// The number of members of the aggregate `Struct`: the largest number of initializers that it
/// accepts.
template <typename Struct, size_t kCount = 0>
constexpr size_t NumMembers() {
  if constexpr (TakesMembers<Struct>(std::make_index_sequence<kCount + 1>())) {
    return NumMembers<Struct, kCount + 1>();
  } else {
    return kCount;
  }
}

/// Storage for a `Struct` that is never constructed: clang cannot construct libstdc++ 12's strings
/// at compile time.
template <typename Struct>
union Unmade {
  constexpr Unmade() : none() {}
  constexpr ~Unmade() {}
  char none;
  Struct object;
};

template <typename Struct>
constexpr size_t NumVisited() {
  size_t count = 0;
  Unmade<Struct> room;
  VisitFields([&count](std::string_view, const auto&) { ++count; }, room.object);
  return count;
}

/// Whether VisitFields lists every member.
template <typename Struct>
inline constexpr bool kIsWhole = NumMembers<Struct>() == NumVisited<Struct>();

}  // namespace fields_internal

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_FIELDS_H_
