// Names of rows and of the words in them, shared by the writer and the reader of partials.

#ifndef SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_
#define SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "model/fields.h"

namespace shapewise {

inline constexpr int kPartialVersion = 2;

/// Rows that are not structs of the model.
inline constexpr std::string_view kTextRow = "text";  // a text, or the last part of a long one
inline constexpr std::string_view kPartRow = "part";  // an earlier part of the text that follows
inline constexpr std::string_view kStatRow = "stat";  // name, times, first input, first line
inline constexpr std::string_view kEndRow = "end";    // number of rows before it

/// A saved struct and its name in the header and at the start of its rows.
template <typename Struct>
struct Named {
  std::string_view name;
};
inline constexpr std::tuple kStructs{Named<LogTime>{"time"},
                                     Named<Input>{"input"},
                                     Named<VersionMark>{"mark"},
                                     Named<Reason>{"reason"},
                                     Named<EventDetail>{"detail"},
                                     Named<XlaGraph>{"xla_graph"},
                                     Named<TriggerPlace>{"trigger"},
                                     Named<Event>{"event"},
                                     Named<CompileSeconds>{"seconds"},
                                     Named<GuardTally::Family>{"guard_family"},
                                     Named<GuardTally>{"guards"},
                                     Named<ShapeGuard>{"shape_guard"},
                                     Named<ValueGuard>{"value_guard"},
                                     Named<GuardTexts>{"guard_texts"},
                                     Named<InputShape>{"shape"},
                                     Named<SymbolFact>{"symbol"},
                                     Named<PayloadPlace>{"payload"},
                                     Named<NodeShape>{"node_shape"},
                                     Named<PassedTensor>{"passed_tensor"},
                                     Named<Compilation>{"compilation"},
                                     Named<PrintedGuards>{"printed_guards"},
                                     Named<Span>{"span"},
                                     Named<RegionRuns>{"region_runs"},
                                     Named<ServerLine>{"server_line"}};

/// The name of a struct; facts are named after their kinds. Empty: not saved.
template <typename Struct>
inline constexpr std::string_view kStructName = std::apply(
    [](const auto&... named) {
      std::string_view name;
      const auto compare = [&name]<typename Each>(const Named<Each>& each) {
        if (std::same_as<Each, Struct>) name = each.name;
      };
      (compare(named), ...);
      constexpr bool kIsFact = static_cast<size_t>(kKindOf<Struct>) < kNumEventKinds;
      return kIsFact ? EventKindName(kKindOf<Struct>) : name;
    },
    kStructs);

template <typename Struct>
concept Saved = !kStructName<Struct>.empty();

/// Calls visit.template operator()<Struct>() for every saved struct.
template <typename Visitor>
constexpr void ForEachStruct(Visitor&& visit) {
  std::apply([&visit]<typename... Structs>(
                 const Named<Structs>&...) { (visit.template operator()<Structs>(), ...); },
             kStructs);
  ForEachFact(visit);
}

static_assert(
    [] {
      bool are_whole = true;
      ForEachStruct(
          [&]<typename Struct>() { are_whole = are_whole && fields_internal::kIsWhole<Struct>; });
      return are_whole;
    }(),
    "a member is missing in VisitFields");

/// How an enumeration is saved: as a number, with its words in the header, because another version
/// may use other numbers.
template <typename Enum>
struct EnumInfo {
  std::string_view name;  ///< empty: not an enumeration of the model
  Enum last{};            ///< the last enumerator; the first is 0
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

inline constexpr std::tuple kEnums{
    EnumInfo<EventKind>{"event_kind", static_cast<EventKind>(kNumEventKinds - 1), EventKindName},
    EnumInfo<GuardClass>{"guard_class", static_cast<GuardClass>(kNumGuardClasses - 1),
                         GuardClassName},
    EnumInfo<PythonType>{"value_type", static_cast<PythonType>(kNumPythonTypes - 1),
                         PythonTypeName},
    EnumInfo<Why>{"why", Why::kOther, WhyName},
    EnumInfo<LimitName>{"limit_name", LimitName::kAccumulatedRecompileLimit, LimitNameText},
    EnumInfo<PerfHint>{"perf_hint", PerfHint::kOther, PerfHintName},
    EnumInfo<CudagraphAction>{"cudagraph_action", CudagraphAction::kPartition, CudagraphActionName},
    EnumInfo<TorchscriptAction>{"torchscript_action", TorchscriptAction::kTracerWarning,
                                TorchscriptActionName},
    EnumInfo<CacheOutcome>{"cache_outcome", CacheOutcome::kBypass, CacheOutcomeName},
    EnumInfo<CompileOutcome>{"compile_outcome", CompileOutcome::kUnknown, CompileOutcomeName},
    EnumInfo<SpanKind>{"span_kind", SpanKind::kOtherProcess, SpanKindName},
    EnumInfo<ServerLineKind>{"server_line_kind", ServerLineKind::kWaiting, ServerLineKindName},
    EnumInfo<ServerEngine>{"server_engine", ServerEngine::kSglang, ServerEngineName},
    EnumInfo<Clock>{"clock", Clock::kRelative, ClockName},
    EnumInfo<SymbolFact::Kind>{"symbol_kind", SymbolFact::Kind::kGuardAdded, SymbolFactKindName},
    EnumInfo<ShapeGuard::Kind>{"shape_guard_kind", ShapeGuard::Kind::kMark, ShapeGuardKindName},
    EnumInfo<ValueGuard::Kind>{"value_guard_kind", ValueGuard::Kind::kOther, ValueGuardKindName}};

/// How `Enum` is saved.
template <typename Enum>
inline constexpr EnumInfo<Enum> kEnumInfo = std::apply(
    [](const auto&... infos) {
      EnumInfo<Enum> found;
      const auto compare = [&found](const auto& info) {
        if constexpr (std::same_as<decltype(info), const EnumInfo<Enum>&>) found = info;
      };
      (compare(infos), ...);
      return found;
    },
    kEnums);

template <typename Enum>
concept SavedEnum = std::is_enum_v<Enum> && !kEnumInfo<Enum>.name.empty();

/// Calls visit.template operator()<Enum>() for every saved enumeration.
template <typename Visitor>
void ForEachEnum(Visitor&& visit) {
  std::apply([&visit]<typename... Enums>(
                 const EnumInfo<Enums>&...) { (visit.template operator()<Enums>(), ...); },
             kEnums);
}

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_PARTIAL_PARTIAL_SCHEMA_H_
