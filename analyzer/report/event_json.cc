#include "report/result_json.h"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fields.h"
#include "report/json_stream.h"

namespace shapewise {
namespace {

struct FieldOfKind {
  EventKind kind;
  std::string_view field;

  bool operator==(const FieldOfKind&) const = default;
};

/// Fields of facts that are written only if the log states them.
constexpr FieldOfKind kFurther[] = {
    {EventKind::kImpliedRecompile, "reasons"},    {EventKind::kXlaMetric, "ops"},
    {EventKind::kXlaMetric, "seconds"},           {EventKind::kXlaCompile, "graph_input_gb"},
    {EventKind::kXlaCompile, "trigger_file"},     {EventKind::kXlaCompile, "trigger_line"},
    {EventKind::kXlaCompile, "trigger_function"}, {EventKind::kXlaExecution, "trigger_file"},
    {EventKind::kXlaExecution, "trigger_line"},   {EventKind::kXlaExecution, "trigger_function"},
    {EventKind::kXlaExecution, "fatal"},          {EventKind::kRecompile, "fatal"},
    {EventKind::kGraphBreak, "called_from"},
};

/// Fields that only causes show.
constexpr FieldOfKind kLeftOut[] = {
    {EventKind::kCompileError, "context"},      {EventKind::kTorchscript, "type"},
    {EventKind::kGraphBreak, "code"},           {EventKind::kGraphBreak, "calls_compiled"},
    {EventKind::kCompileError, "called_from"},  {EventKind::kImpliedBreak, "trigger_file"},
    {EventKind::kImpliedBreak, "trigger_line"}, {EventKind::kImpliedBreak, "trigger_function"},
};

/// Adds the visited fields to an object.
class FieldWriter {
 public:
  FieldWriter(Json& object, const Session& session) : object_(object), session_(session) {}

  template <typename Field>
  void operator()(std::string_view name, const Field& field) {
    if constexpr (std::same_as<Field, EventFact>) {
      kind_ = static_cast<EventKind>(field.index());
      std::visit([this](const auto& fact) { VisitFields(*this, fact); }, field);
      kind_.reset();
    } else if constexpr (HasFields<const Field>) {
      VisitFields(*this, field);
    } else {
      Json value = JsonOf(field);
      const bool is_known = !value.empty() && value != false;
      if (is_known ? !Is(name, kLeftOut) : IsAlwaysThere(name)) object_[name] = std::move(value);
    }
  }

 private:
  template <size_t kCount>
  bool Is(std::string_view name, const FieldOfKind (&list)[kCount]) const {
    return kind_ && std::ranges::find(list, FieldOfKind{*kind_, name}) != std::end(list);
  }
  /// Fields that every reason has, and those that every event of a kind has.
  bool IsAlwaysThere(std::string_view name) const {
    if (!kind_) return name == "entry" || name == "guard";
    return !Is(name, kFurther) && !Is(name, kLeftOut);
  }

  Json JsonOf(StrId text) const { return TextOrNull(session_.text(text)); }
  Json JsonOf(bool flag) const { return flag; }
  Json JsonOf(uint32_t line) const { return PositionOrNull(line); }
  Json JsonOf(int32_t dim) const { return DimOrNull(dim); }
  template <typename Number>
  Json JsonOf(const std::optional<Number>& number) const {
    return NumberOrNull(number);
  }
  template <typename Item>
  Json JsonOf(const std::vector<Item>& items) const {
    return ListJson(items, [this](const Item& item) { return JsonOf(item); });
  }
  Json JsonOf(ReasonId id) const {
    Json object;
    VisitFields(FieldWriter(object, session_), session_.reason(id));
    return object;
  }
  Json JsonOf(GuardClass word) const { return GuardClassName(word); }
  Json JsonOf(PythonType word) const { return TextOrNull(PythonTypeName(word)); }
  Json JsonOf(Why word) const { return TextOrNull(WhyName(word)); }
  Json JsonOf(LimitName word) const { return TextOrNull(LimitNameText(word)); }
  Json JsonOf(PerfHint word) const { return TextOrNull(PerfHintName(word)); }
  Json JsonOf(CudagraphAction word) const { return TextOrNull(CudagraphActionName(word)); }
  Json JsonOf(TorchscriptAction word) const { return TextOrNull(TorchscriptActionName(word)); }
  Json JsonOf(CacheOutcome word) const { return TextOrNull(CacheOutcomeName(word)); }

  Json& object_;
  const Session& session_;
  std::optional<EventKind> kind_;
};

}  // namespace

Json EventJson(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  Json object;
  object["kind"] = EventKindName(detail.kind());
  object["input"] = event.input;
  object["line"] = event.line;
  if (event.rank != kNoRank) object["rank"] = event.rank;
  FieldWriter fields(object, session);
  fields("compile_id", event.compile_id);
  if (event.time.known()) object["time"] = FormatLogTime(event.time);
  VisitFields(fields, detail);
  if (event.folded > 0) object["folded"] = event.folded;
  return object;
}

}  // namespace shapewise
