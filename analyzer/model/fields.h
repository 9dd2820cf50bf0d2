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

#include "model/compilation.h"
#include "model/event.h"
#include "model/session.h"
#include "model/shape_guard.h"
#include "model/span.h"

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

// Field names are those of the members; structs with other names have their function written out.
#define SHAPEWISE_FIELDS(Struct, ...)                                         \
  constexpr void VisitFields(auto&& visit, MaybeConst<Struct> auto& object) { \
    SHAPEWISE_EXPAND(SHAPEWISE_VISIT(__VA_ARGS__))                            \
  }                                                                           \
  static_assert(true)
#define SHAPEWISE_VISIT(member, ...) \
  visit(#member, object.member);     \
  __VA_OPT__(SHAPEWISE_VISIT_NEXT SHAPEWISE_EMPTY()()(__VA_ARGS__))
// Names itself only after the expansion of SHAPEWISE_VISIT has ended, which may not contain itself.
#define SHAPEWISE_VISIT_NEXT() SHAPEWISE_VISIT
#define SHAPEWISE_EMPTY()
#define SHAPEWISE_EXPAND(...) SHAPEWISE_EXPAND3(SHAPEWISE_EXPAND3(SHAPEWISE_EXPAND3(__VA_ARGS__)))
#define SHAPEWISE_EXPAND3(...) SHAPEWISE_EXPAND2(SHAPEWISE_EXPAND2(SHAPEWISE_EXPAND2(__VA_ARGS__)))
#define SHAPEWISE_EXPAND2(...) SHAPEWISE_EXPAND1(SHAPEWISE_EXPAND1(SHAPEWISE_EXPAND1(__VA_ARGS__)))
#define SHAPEWISE_EXPAND1(...) __VA_ARGS__

SHAPEWISE_FIELDS(LogTime, year, month, day, micros);
SHAPEWISE_FIELDS(Input, name, format, bytes, lines, torch_lines, first_line, is_binary,
                 unknown_lines, first_unknown_line, first_unknown);
SHAPEWISE_FIELDS(VersionMark, what, from, until, input, line);

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
  visit("outer_code", reason.outer_code);
  visit("hint", reason.hint);
}

SHAPEWISE_FIELDS(RecompileFact, reasons, fatal);
SHAPEWISE_FIELDS(LimitFact, limit, limit_name, reasons);
SHAPEWISE_FIELDS(GraphBreakFact, gb, type, repeat, fatal, context, message, code, called_from,
                 calls_compiled);
SHAPEWISE_FIELDS(SkippedFrameFact, why, type, message);

constexpr void VisitFields(auto&& visit, MaybeConst<CompileFact> auto& fact) {
  visit("seconds", fact.seconds);
  visit("ops", fact.num_ops);
  visit("graph_inputs", fact.graph_inputs);
  visit("cache", fact.cache);
}

SHAPEWISE_FIELDS(CompileErrorFact, type, message, context, called_from);
SHAPEWISE_FIELDS(ConstraintFact, source, dim, message, suggestion);
SHAPEWISE_FIELDS(PerfHintFact, hint, message);
SHAPEWISE_FIELDS(CudagraphFact, action, why, count, message);
SHAPEWISE_FIELDS(XlaMetricFact, metric, count, steps, ops, seconds);
SHAPEWISE_FIELDS(XlaGraph, cause, hash, graph_inputs, graph_outputs);

constexpr void VisitFields(auto&& visit, MaybeConst<TriggerPlace> auto& place) {
  visit("trigger_file", place.file);
  visit("trigger_line", place.line);
  visit("trigger_function", place.function);
}

SHAPEWISE_FIELDS(XlaCompileFact, graph, graph_input_gb, trigger);
SHAPEWISE_FIELDS(XlaExecutionFact, graph, trigger, fatal);
SHAPEWISE_FIELDS(ImpliedBreakFact, trigger);
SHAPEWISE_FIELDS(ImpliedRecompileFact, reasons);
SHAPEWISE_FIELDS(TorchscriptFact, message, action, type);
SHAPEWISE_FIELDS(IgnoredModeFact, why, message);
SHAPEWISE_FIELDS(EventDetail, function, file, function_line, user_file, user_line, user_function,
                 fact, cut);
SHAPEWISE_FIELDS(Event, line, time, input, rank, compile_id, detail, folded);
SHAPEWISE_FIELDS(CompileSeconds, total, backend, inductor, code_gen, before_restart, at_run_time,
                 cache_saved);
SHAPEWISE_FIELDS(GuardTally::Family, source, guards, members);
SHAPEWISE_FIELDS(GuardTally, kinds, root_lambdas, families, leaves, managers, latency_us);
SHAPEWISE_FIELDS(ShapeGuard, kind, is_zero_one, is_duck, is_operators, source, text, stride,
                 properties, user_file, user_line, user_function, code);
SHAPEWISE_FIELDS(ValueGuard, kind, source, text);
SHAPEWISE_FIELDS(GuardTexts, shape, values, others, left_out, is_printed);
SHAPEWISE_FIELDS(InputShape, source, shape, dtype, stride);
SHAPEWISE_FIELDS(SymbolFact, kind, symbol, source, value, range, expr, user_file, user_line,
                 user_function, line);
SHAPEWISE_FIELDS(PayloadPlace, name, line);
SHAPEWISE_FIELDS(NodeShape, name, shape);
SHAPEWISE_FIELDS(PassedTensor, source, argument);
SHAPEWISE_FIELDS(Compilation, input, line, time, rank, compile_id, outcome, is_finished, function,
                 file, function_line, user_file, user_line, user_function, start, seconds, num_ops,
                 num_inputs, num_guards, cache, restarts, fail_type, fail_reason, guards,
                 guard_texts, shapes, symbols, payloads, node_shapes, mutated, passed);
SHAPEWISE_FIELDS(PrintedGuards, input, line, time, rank, compile_id, function, file, function_line,
                 user_file, user_line, user_function, guards, guard_texts, symbols);
SHAPEWISE_FIELDS(Span, kind, clock, input, line, rank, number, begin, seconds, name, process,
                 compile_id);
SHAPEWISE_FIELDS(RegionRuns, input, line, rank, compile_id, clock, first, last, runs);

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

#undef SHAPEWISE_EXPAND1
#undef SHAPEWISE_EXPAND2
#undef SHAPEWISE_EXPAND3
#undef SHAPEWISE_EXPAND
#undef SHAPEWISE_EMPTY
#undef SHAPEWISE_VISIT_NEXT
#undef SHAPEWISE_VISIT
#undef SHAPEWISE_FIELDS

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
