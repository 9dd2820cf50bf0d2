// The copy of a session in which no text names anything of the user's.
//
// What a text is follows from the name of its field; a field that is not named below holds an
// expression, of which the least stays.

#include <algorithm>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "shapewise/model/fields.h"
#include "shapewise/redact/redact.h"

namespace shapewise {
namespace {

TextKind KindOfField(std::string_view field) {
  for (const std::string_view name : {"file", "user_file", "trigger_file"}) {
    if (field == name) return TextKind::kPath;
  }
  if (field == "code") return TextKind::kCode;
  if (field == "guard") return TextKind::kGuard;
  for (const std::string_view name :
       {"message", "context", "type", "fail_type", "fail_reason", "hint", "cause", "process"}) {
    if (field == name) return TextKind::kProse;
  }
  for (const std::string_view name : {"kinds", "metric", "gb"}) {
    if (field == name) return TextKind::kWord;
  }
  return TextKind::kExpression;
}

struct NoVisitor {
  void operator()(std::string_view, const auto&) const {}
};

template <typename Struct>
concept HasFields = requires(Struct& object) { VisitFields(NoVisitor(), object); };

template <typename Value>
inline constexpr bool kIsList = false;
template <typename Item>
inline constexpr bool kIsList<std::vector<Item>> = true;

template <typename Value>
inline constexpr bool kIsPair = false;
template <typename First, typename Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

class SessionRedactor {
 public:
  SessionRedactor(const Session& session, Redactor& redactor, Session& redacted)
      : session_(session), redactor_(redactor), redacted_(redacted) {}

  void Run() {
    for (const Input& input : session_.inputs()) Add(input);
    redacted_.stats() = session_.stats();
    for (VersionMark mark : session_.version_marks()) {
      // Words of readers; of a partial they are texts of the other session.
      mark.what = redacted_.text(redacted_.strings().Intern(mark.what));
      redacted_.NoteVersionMark(mark);
    }
    for (const Event& event : session_.events()) redacted_.AddEvent(Redacted(event));
    for (const Compilation& each : session_.compilations()) {
      redacted_.AddCompilation(Redacted(each));
    }
    for (const PrintedGuards& each : session_.printed_guards()) {
      redacted_.AddPrintedGuards(Redacted(each));
    }
    for (const Span& span : session_.spans()) {
      Span copy = span;
      copy.name = Text(TextKind::kProse, span.name);
      copy.process = Text(TextKind::kProse, span.process);
      copy.compile_id = Text(TextKind::kExpression, span.compile_id);
      redacted_.AddSpan(copy);
    }
    for (const RegionRuns& runs : session_.region_runs()) redacted_.AddRegionRuns(Redacted(runs));
    redacted_.SortByPlace();
  }

 private:
  void Add(const Input& input) {
    const uint32_t index = redacted_.AddInput(redactor_.Rewrite(TextKind::kPath, input.name));
    Input& copy = redacted_.input(index);
    copy.format = input.format;
    copy.bytes = input.bytes;
    copy.lines = input.lines;
    copy.torch_lines = input.torch_lines;
    copy.first_line = redactor_.Rewrite(TextKind::kProse, input.first_line);
  }

  StrId Text(TextKind kind, StrId id) {
    if (id == StrId::kNone) return id;
    std::vector<StrId>& known = texts_[static_cast<size_t>(kind)];
    const size_t index = static_cast<size_t>(id);
    if (index >= known.size()) known.resize(std::max(index + 1, known.size() * 2));
    if (known[index] == StrId::kNone) {
      known[index] = redacted_.strings().Intern(redactor_.Rewrite(kind, session_.text(id)));
    }
    return known[index];
  }

  template <typename Id, typename Intern>
  Id Shared(Id id, std::vector<std::optional<Id>>& known, const Intern& intern) {
    const size_t index = static_cast<size_t>(id);
    if (index >= known.size()) known.resize(std::max(index + 1, known.size() * 2));
    if (!known[index]) {
      const Id made = intern();
      known[index] = made;
    }
    return *known[index];
  }

  template <typename Struct>
  Struct Redacted(const Struct& object) {
    Struct copy = object;
    VisitFields([this](std::string_view name, auto& field) { Rewrite(name, field); }, copy);
    return copy;
  }

  template <typename Value>
  void Rewrite(std::string_view field, Value& value) {
    if constexpr (std::same_as<Value, StrId>) {
      value = Text(KindOfField(field), value);
    } else if constexpr (std::same_as<Value, ReasonId>) {
      value = Shared(value, reasons_, [this, value] {
        return redacted_.InternReason(Redacted(session_.reason(value)));
      });
    } else if constexpr (std::same_as<Value, DetailId>) {
      value = Shared(value, details_, [this, value] {
        return redacted_.InternDetail(Redacted(session_.detail(value)));
      });
    } else if constexpr (std::same_as<Value, PayloadPlace>) {
      // Its name is a kind of record, a word of PyTorch's.
      value.name = Text(TextKind::kWord, value.name);
    } else if constexpr (std::same_as<Value, GuardTexts>) {
      VisitFields([this](std::string_view name, auto& part) { Rewrite(name, part); }, value);
      for (uint64_t& hash : value.others) hash = redactor_.RewriteHash(hash);
      std::ranges::sort(value.others);
    } else if constexpr (kIsPair<Value>) {
      Rewrite(field, value.first);
      Rewrite(field, value.second);
    } else if constexpr (kIsList<Value>) {
      for (auto& item : value) Rewrite(field, item);
    } else if constexpr (HasFields<Value>) {
      VisitFields([this](std::string_view name, auto& part) { Rewrite(name, part); }, value);
    }
    // What is left are numbers, words of the program and times.
  }

  const Session& session_;
  Redactor& redactor_;
  Session& redacted_;
  std::vector<StrId> texts_[static_cast<size_t>(TextKind::kWord) + 1];
  std::vector<std::optional<ReasonId>> reasons_;
  std::vector<std::optional<DetailId>> details_;
};

}  // namespace

void RedactSession(const Session& session, Redactor& redactor, Session& redacted) {
  SessionRedactor(session, redactor, redacted).Run();
}

}  // namespace shapewise
