#include "model/append_session.h"

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "model/fields.h"

namespace shapewise {
namespace {

template <typename Value>
inline constexpr bool kIsList = false;
template <typename Item>
inline constexpr bool kIsList<std::vector<Item>> = true;

template <typename Value>
inline constexpr bool kIsPair = false;
template <typename First, typename Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

class SessionAppender {
 public:
  SessionAppender(const Session& from, SessionTexts* texts, Session& to)
      : from_(from),
        texts_(texts),
        to_(to),
        first_input_(static_cast<uint32_t>(to.inputs().size())) {}

  void Run() {
    for (const Input& input : from_.inputs()) {
      Input copy = input;
      copy.name = Rewritten("file", input.name);
      copy.first_line = Rewritten("message", input.first_line);
      copy.first_unknown = Rewritten("message", input.first_unknown);
      to_.input(to_.AddInput({})) = std::move(copy);
    }
    for (size_t stat = 0; stat < kNumStats; ++stat) {
      Stats::Count count = from_.stats().count(stat);
      if (count.times == 0) continue;
      count.first_input += first_input_;
      to_.stats().Add(static_cast<Stat>(stat), count);
    }
    for (VersionMark mark : from_.version_marks()) {
      // A reader's words; in a partial they belong to the other session.
      mark.what = to_.text(to_.strings().Intern(mark.what));
      mark.input += first_input_;
      to_.NoteVersionMark(mark);
    }
    for (const Event& each : from_.events()) to_.AddEvent(Moved(each));
    for (const Compilation& each : from_.compilations()) to_.AddCompilation(Moved(each));
    for (const PrintedGuards& each : from_.printed_guards()) to_.AddPrintedGuards(Moved(each));
    for (const Span& each : from_.spans()) {
      Span copy = Moved(each);
      copy.name = Text("message", each.name);  // of a step: a name from the program
      to_.AddSpan(copy);
    }
    for (const RegionRuns& each : from_.region_runs()) to_.AddRegionRuns(Moved(each));
    for (const ServerLine& each : from_.server_lines()) to_.AddServerLine(Moved(each));
  }

 private:
  std::string Rewritten(std::string_view field, const std::string& text) {
    return texts_ == nullptr ? text : texts_->Rewrite(texts_->KindOf(field), text);
  }

  StrId Text(std::string_view field, StrId id) {
    if (id == StrId::kNone) return id;
    const size_t kind = texts_ == nullptr ? 0 : texts_->KindOf(field);
    if (kind >= known_texts_.size()) known_texts_.resize(kind + 1);
    std::vector<StrId>& known = known_texts_[kind];
    const size_t index = static_cast<size_t>(id);
    if (index >= known.size()) known.resize(std::max(index + 1, known.size() * 2));
    if (known[index] == StrId::kNone) {
      const std::string_view text = from_.text(id);
      known[index] = texts_ == nullptr ? to_.strings().Intern(text)
                                       : to_.strings().Intern(texts_->Rewrite(kind, text));
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

  /// A copy of `object` for the other session.
  template <typename Struct>
  Struct Moved(const Struct& object) {
    Struct copy = object;
    if constexpr (requires { copy.input; }) copy.input += first_input_;
    MoveFields(copy);
    return copy;
  }

  template <typename Struct>
  void MoveFields(Struct& object) {
    VisitFields([this](std::string_view name, auto& field) { Move(name, field); }, object);
  }

  template <typename Value>
  void Move(std::string_view field, Value& value) {
    if constexpr (std::same_as<Value, StrId>) {
      value = Text(field, value);
    } else if constexpr (std::same_as<Value, ReasonId>) {
      value = Shared(value, reasons_,
                     [this, value] { return to_.InternReason(Moved(from_.reason(value))); });
    } else if constexpr (std::same_as<Value, DetailId>) {
      value = Shared(value, details_,
                     [this, value] { return to_.InternDetail(Moved(from_.detail(value))); });
    } else if constexpr (std::same_as<Value, PayloadPlace>) {
      value.name = Text("kinds", value.name);
    } else if constexpr (std::same_as<Value, GuardTexts>) {
      MoveFields(value);
      if (texts_ == nullptr) return;
      for (uint64_t& hash : value.others) hash = texts_->RewriteHash(hash);
      std::ranges::sort(value.others);
    } else if constexpr (std::same_as<Value, EventFact>) {
      std::visit([this](auto& fact) { MoveFields(fact); }, value);
    } else if constexpr (kIsPair<Value>) {
      Move(field, value.first);
      Move(field, value.second);
    } else if constexpr (kIsList<Value>) {
      for (auto& item : value) Move(field, item);
    } else if constexpr (HasFields<Value>) {
      MoveFields(value);
    }
    // The rest are numbers, words of shapewise, and times.
  }

  const Session& from_;
  SessionTexts* const texts_;
  Session& to_;
  const uint32_t first_input_;
  std::vector<std::vector<StrId>> known_texts_;  // by kind
  std::vector<std::optional<ReasonId>> reasons_;
  std::vector<std::optional<DetailId>> details_;
};

}  // namespace

void AppendSession(const Session& from, SessionTexts* texts, Session& to) {
  SessionAppender(from, texts, to).Run();
}

}  // namespace shapewise
