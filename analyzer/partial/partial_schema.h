// What the writer and the reader of partials share: the names of rows, and of the words in them.

#ifndef SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_
#define SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shapewise/model/fields.h"

namespace shapewise {

inline constexpr int kPartialVersion = 1;

/// Rows that are no struct of the model.
inline constexpr std::string_view kTextRow = "text";  // a text, or the last part of a long one
inline constexpr std::string_view kPartRow = "part";  // an earlier part of the text that follows
inline constexpr std::string_view kStatRow = "stat";  // name, times, first input, first line
inline constexpr std::string_view kEndRow = "end";    // number of rows before it

/// The name of a struct, in the header and at the head of its rows.
template <typename Struct>
inline constexpr std::string_view kStructName = "";
template <>
inline constexpr std::string_view kStructName<LogTime> = "time";
template <>
inline constexpr std::string_view kStructName<Input> = "input";
template <>
inline constexpr std::string_view kStructName<VersionMark> = "mark";
template <>
inline constexpr std::string_view kStructName<Reason> = "reason";
template <>
inline constexpr std::string_view kStructName<EventDetail> = "detail";
template <>
inline constexpr std::string_view kStructName<Event> = "event";
template <>
inline constexpr std::string_view kStructName<CompileSeconds> = "seconds";
template <>
inline constexpr std::string_view kStructName<GuardTally::Family> = "guard_family";
template <>
inline constexpr std::string_view kStructName<GuardTally> = "guards";
template <>
inline constexpr std::string_view kStructName<ShapeGuard> = "shape_guard";
template <>
inline constexpr std::string_view kStructName<ValueGuard> = "value_guard";
template <>
inline constexpr std::string_view kStructName<GuardTexts> = "guard_texts";
template <>
inline constexpr std::string_view kStructName<InputShape> = "shape";
template <>
inline constexpr std::string_view kStructName<SymbolFact> = "symbol";
template <>
inline constexpr std::string_view kStructName<PayloadPlace> = "payload";
template <>
inline constexpr std::string_view kStructName<NodeShape> = "node_shape";
template <>
inline constexpr std::string_view kStructName<Compilation> = "compilation";
template <>
inline constexpr std::string_view kStructName<PrintedGuards> = "printed_guards";
template <>
inline constexpr std::string_view kStructName<Span> = "span";
template <>
inline constexpr std::string_view kStructName<RegionRuns> = "region_runs";
template <>
inline constexpr std::string_view kStructName<ServerLine> = "server_line";

template <typename Struct>
concept Saved = !kStructName<Struct>.empty();

/// Calls visit.template operator()<Struct>() for every struct above.
template <typename Visitor>
void ForEachStruct(Visitor&& visit) {
  const auto visit_all = [&visit]<typename... Structs>() {
    (visit.template operator()<Structs>(), ...);
  };
  visit_all.template
  operator()<LogTime, Input, VersionMark, Reason, EventDetail, Event, CompileSeconds,
             GuardTally::Family, GuardTally, ShapeGuard, ValueGuard, GuardTexts, InputShape,
             SymbolFact, PayloadPlace, NodeShape, Compilation, PrintedGuards, Span, RegionRuns,
             ServerLine>();
}

/// How an enumeration is saved: as a number, whose word stands in the header, because the numbers
/// of another version may be others.
template <typename Enum>
struct EnumInfo {
  std::string_view name;  ///< empty: no enumeration of the model
  Enum last{};            ///< the enumerators count from 0 to this one
  std::string_view (*word)(Enum) = nullptr;
};

constexpr std::string_view ClockName(Clock clock) {
  constexpr std::string_view kNames[] = {"unknown", "epoch", "local", "relative"};
  return kNames[static_cast<size_t>(clock)];
}

constexpr std::string_view SymbolFactKindName(SymbolFact::Kind kind) {
  constexpr std::string_view kNames[] = {"created", "created_unbacked", "specialized",
                                         "guard_added"};
  return kNames[static_cast<size_t>(kind)];
}

template <typename Enum>
inline constexpr EnumInfo<Enum> kEnumInfo{};
template <>
inline constexpr EnumInfo<EventKind> kEnumInfo<EventKind>{
    "event_kind", static_cast<EventKind>(kNumEventKinds - 1), EventKindName};
template <>
inline constexpr EnumInfo<GuardClass> kEnumInfo<GuardClass>{
    "guard_class", static_cast<GuardClass>(kNumGuardClasses - 1), GuardClassName};
template <>
inline constexpr EnumInfo<Why> kEnumInfo<Why>{"why", Why::kOther, WhyName};
template <>
inline constexpr EnumInfo<LimitName> kEnumInfo<LimitName>{
    "limit_name", LimitName::kAccumulatedRecompileLimit, LimitNameText};
template <>
inline constexpr EnumInfo<PerfHint> kEnumInfo<PerfHint>{"perf_hint", PerfHint::kOther,
                                                        PerfHintName};
template <>
inline constexpr EnumInfo<CudagraphAction> kEnumInfo<CudagraphAction>{
    "cudagraph_action", CudagraphAction::kPartition, CudagraphActionName};
template <>
inline constexpr EnumInfo<TorchscriptAction> kEnumInfo<TorchscriptAction>{
    "torchscript_action", TorchscriptAction::kTracerWarning, TorchscriptActionName};
template <>
inline constexpr EnumInfo<CacheOutcome> kEnumInfo<CacheOutcome>{
    "cache_outcome", CacheOutcome::kBypass, CacheOutcomeName};
template <>
inline constexpr EnumInfo<CompileOutcome> kEnumInfo<CompileOutcome>{
    "compile_outcome", CompileOutcome::kUnknown, CompileOutcomeName};
template <>
inline constexpr EnumInfo<SpanKind> kEnumInfo<SpanKind>{"span_kind", SpanKind::kOtherProcess,
                                                        SpanKindName};
template <>
inline constexpr EnumInfo<ServerLineKind> kEnumInfo<ServerLineKind>{
    "server_line_kind", ServerLineKind::kWaiting, ServerLineKindName};
template <>
inline constexpr EnumInfo<ServerEngine> kEnumInfo<ServerEngine>{
    "server_engine", ServerEngine::kSglang, ServerEngineName};
template <>
inline constexpr EnumInfo<Clock> kEnumInfo<Clock>{"clock", Clock::kRelative, ClockName};
template <>
inline constexpr EnumInfo<SymbolFact::Kind> kEnumInfo<SymbolFact::Kind>{
    "symbol_kind", SymbolFact::Kind::kGuardAdded, SymbolFactKindName};
template <>
inline constexpr EnumInfo<ShapeGuard::Kind> kEnumInfo<ShapeGuard::Kind>{
    "shape_guard_kind", ShapeGuard::Kind::kMark, ShapeGuardKindName};
template <>
inline constexpr EnumInfo<ValueGuard::Kind> kEnumInfo<ValueGuard::Kind>{
    "value_guard_kind", ValueGuard::Kind::kOther, ValueGuardKindName};

template <typename Enum>
concept SavedEnum = std::is_enum_v<Enum> && !kEnumInfo<Enum>.name.empty();

/// Calls visit.template operator()<Enum>() for every enumeration above.
template <typename Visitor>
void ForEachEnum(Visitor&& visit) {
  const auto visit_all = [&visit]<typename... Enums>() {
    (visit.template operator()<Enums>(), ...);
  };
  visit_all.template operator()<EventKind, GuardClass, Why, LimitName, PerfHint, CudagraphAction,
                                TorchscriptAction, CacheOutcome, CompileOutcome, SpanKind, Clock,
                                SymbolFact::Kind, ShapeGuard::Kind, ValueGuard::Kind, ServerLineKind,
                                ServerEngine>();
}

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_
