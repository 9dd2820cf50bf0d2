// The compilations of a run -> functions with their cache entries.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "guards/read_entries.h"
#include "guards/size_names.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/model/compile_id.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "0/1_2" taken apart.
struct EntryId {
  std::string frame;  // "0", "!0/3"
  uint64_t number = 0;
  uint32_t attempt = 0;
};

std::optional<EntryId> ParseEntryId(std::string_view id) {
  const std::string_view whole = WithoutAttempt(id);
  const size_t slash = whole.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  EntryId parsed;
  parsed.frame = whole.substr(0, slash);
  std::string_view digits = whole.substr(slash + 1);
  const auto number = ConsumeUint(digits);
  if (!number) return std::nullopt;
  parsed.number = *number;
  if (whole.size() < id.size()) {
    std::string_view attempt = id.substr(whole.size() + 1);
    parsed.attempt =
        static_cast<uint32_t>(std::min<uint64_t>(ConsumeUint(attempt).value_or(0), UINT32_MAX));
  }
  return parsed;
}

/// What one thing of the session tells of an entry, before it is read.
struct Told {
  EntryId id;
  std::string text_id;
  uint32_t input = 0;
  uint64_t line = 0;
  int32_t rank = kNoRank;
  Place where;
  EntryMaterial material;
};

class FunctionReader {
 public:
  FunctionReader(const Session& session, const std::string& name, ExprPool& pool)
      : session_(session), name_(name), pool_(pool) {}

  std::vector<GuardedFunction> Read() {
    TakeCompilations();
    TakePrinted();
    TakeEvents();
    // Stable: entries stand where their functions first appear.
    std::vector<GuardedFunction> functions;
    for (GuardedFunction& function : functions_) {
      if (!name_.empty() && function.where.function != name_) continue;
      if (function.entries.empty()) continue;
      std::stable_sort(
          function.entries.begin(), function.entries.end(),
          [](const GuardedEntry& a, const GuardedEntry& b) { return a.number < b.number; });
      functions.push_back(std::move(function));
    }
    return functions;
  }

 private:
  using FrameKey = std::tuple<uint32_t, int32_t, std::string>;  // input, rank, frame

  std::string Text(StrId id) const { return std::string(session_.text(id)); }

  void TakeCompilations() {
    for (const Compilation& compilation : session_.compilations()) {
      // A frame that breaks at once has guarded code without a graph.
      const bool has_code = compilation.outcome == CompileOutcome::kGraph ||
                            ((compilation.outcome == CompileOutcome::kUnknown ||
                              compilation.outcome == CompileOutcome::kEmptyGraph) &&
                             compilation.guard_texts.is_printed);
      if (!has_code) continue;
      Told told;
      told.where = {Text(compilation.function), Text(compilation.file), compilation.function_line};
      told.material = {&compilation.guard_texts, &compilation.symbols, &compilation.shapes};
      Take(compilation, told);
    }
  }

  void TakePrinted() {
    for (const PrintedGuards& printed : session_.printed_guards()) {
      Told told;
      told.where = {Text(printed.function), Text(printed.file), printed.function_line};
      if (told.where.function.empty()) {
        told.where = {Text(printed.user_function), Text(printed.user_file), 0};
      }
      told.material = {&printed.guard_texts, &printed.symbols, nullptr};
      Take(printed, told);
    }
  }

  template <typename Compiled>
  void Take(const Compiled& compiled, Told& told) {
    const auto id = ParseEntryId(session_.text(compiled.compile_id));
    if (!id) return;
    told.id = *id;
    told.text_id = Text(compiled.compile_id);
    told.input = compiled.input;
    told.line = compiled.line;
    told.rank = compiled.rank;
    GuardedFunction& function = FunctionFor(told);
    GuardedEntry entry;
    entry.id = WithoutAttempt(told.text_id);
    entry.number = told.id.number;
    entry.attempt = told.id.attempt;
    entry.input = told.input;
    entry.line = told.line;
    ReadEntry(told.material, session_, function.where.file, pool_, entry);
    PutEntry(function, std::move(entry));
  }

  /// Of several attempts at one compilation the one whose guards are printed, or the last, counts.
  void PutEntry(GuardedFunction& function, GuardedEntry entry) {
    GuardedEntry* const known = FindEntry(function, entry.number);
    if (known == nullptr) {
      AddEntry(function, std::move(entry));
    } else if (entry.is_printed || !known->is_printed) {
      *known = std::move(entry);
    }
  }

  size_t IndexOf(const GuardedFunction& function) const {
    return static_cast<size_t>(&function - functions_.data());
  }

  GuardedEntry* FindEntry(GuardedFunction& function, uint64_t number) {
    const auto& entry_of = entry_of_number_[IndexOf(function)];
    const auto found = entry_of.find(number);
    return found == entry_of.end() ? nullptr : &function.entries[found->second];
  }

  GuardedEntry& AddEntry(GuardedFunction& function, GuardedEntry entry) {
    entry_of_number_[IndexOf(function)].emplace(entry.number, function.entries.size());
    return function.entries.emplace_back(std::move(entry));
  }

  GuardedFunction& AddFunction(const Place& where, const FrameKey& key) {
    functions_of_frame_[key].push_back(functions_.size());
    entry_of_number_.emplace_back();
    GuardedFunction& function = functions_.emplace_back();
    function.where = where;
    std::tie(function.input, function.rank, function.frame) = key;
    return function;
  }

  /// The function of the frame. torch._dynamo.reset() begins to number anew: then another one.
  GuardedFunction& FunctionFor(const Told& told) {
    const FrameKey key{told.input, told.rank, told.id.frame};
    const auto found = frames_.find(key);
    if (found != frames_.end()) {
      GuardedFunction& function = functions_[found->second];
      if (function.where.function.empty() || IsUnnamed(function)) Name(function, told.where);
      const bool is_same =
          told.where.function.empty() || function.where == told.where || told.where.line == 0;
      const GuardedEntry* const known = FindEntry(function, told.id.number);
      const bool is_repeated = known != nullptr && known->attempt >= told.id.attempt &&
                               known->is_printed && told.material.texts->is_printed;
      if (is_same && !is_repeated) return function;
    }
    frames_[key] = functions_.size();
    return AddFunction(told.where, key);
  }

  static bool IsUnnamed(const GuardedFunction& function) { return function.where.line == 0; }

  static void Name(GuardedFunction& function, const Place& where) {
    if (!where.function.empty() && where.line != 0) function.where = where;
  }

  GuardedFunction* FindFunction(const Event& event) {
    const auto id = ParseEntryId(session_.text(event.compile_id));
    if (!id) return nullptr;
    const EventDetail& detail = session_.detail(event);
    const Place where{Text(detail.function), Text(detail.file), detail.function_line};
    const FrameKey key{event.input, event.rank, id->frame};
    // The last function that had the frame may be another one than the event's.
    for (const size_t i : llvm::reverse(functions_of_frame_[key])) {
      GuardedFunction& function = functions_[i];
      if (where.function.empty() || function.where == where || IsUnnamed(function)) {
        Name(function, where);
        return &function;
      }
    }
    return &AddFunction(where, key);
  }

  void TakeEvents() {
    for (const Event& event : session_.events()) {
      const EventDetail& detail = session_.detail(event);
      const bool is_limit = detail.kind() == EventKind::kRecompileLimit;
      if (detail.kind() != EventKind::kRecompile && !is_limit) continue;
      GuardedFunction* const function = FindFunction(event);
      if (function == nullptr) continue;
      const auto id = ParseEntryId(session_.text(event.compile_id));
      if (is_limit) {
        function->hit_limit = true;
        DropRefused(*function, id->number);
      } else {
        EntryOf(*function, event, *id);
      }
      for (const ReasonId reason : detail.reasons()) {
        TakeReason(session_.reason(reason), event, *id, is_limit, *function);
      }
    }
  }

  /// A compilation that the limit refused left no entry, only the values that asked for it.
  void DropRefused(GuardedFunction& function, uint64_t number) {
    GuardedEntry* const entry = FindEntry(function, number);
    if (entry == nullptr || entry->is_printed || !entry->guards.empty()) return;
    function.further_values.insert(function.further_values.end(), entry->sample.begin(),
                                   entry->sample.end());
    // The last of them, but where numbers began anew.
    const auto at = function.entries.begin() + (entry - function.entries.data());
    std::rotate(at, at + 1, function.entries.end());
    function.entries.pop_back();
    auto& entry_of = entry_of_number_[IndexOf(function)];
    const size_t index = entry_of.extract(number).mapped();
    for (size_t i = index; i < function.entries.size(); ++i) {
      entry_of[function.entries[i].number] = i;
    }
  }

  GuardedEntry& EntryOf(GuardedFunction& function, const Event& event, const EntryId& id) {
    if (GuardedEntry* const known = FindEntry(function, id.number)) return *known;
    GuardedEntry entry;
    entry.id = id.frame + "/" + std::to_string(id.number);
    entry.number = id.number;
    entry.input = event.input;
    entry.line = event.line;
    entry.why_not = "only guards of it that failed are printed";
    return AddEntry(function, std::move(entry));
  }

  /// A guard of an older entry that failed, and the value that came instead.
  void TakeReason(const Reason& reason, const Event& event, const EntryId& id, bool is_limit,
                  GuardedFunction& function) {
    const auto failed = ParseEntryId(session_.text(reason.entry));
    if (!failed || failed->frame != id.frame) return;
    const bool is_other =
        reason.guard_class == GuardClass::kBackend || reason.guard_class == GuardClass::kEmpty;
    if (!is_other) function.asked.emplace(id.number, failed->number);
    const std::optional<std::string> name = NameOf(reason);
    GuardedEntry& entry = EntryOf(function, event, *failed);
    if (!entry.is_printed) AddFailed(reason, name, entry);
    if (!name) return;
    std::string_view text = session_.text(reason.actual);
    const bool is_negative = ConsumeFront(text, "-");
    const auto actual = ConsumeUint<int64_t>(text);
    if (!actual || !text.empty()) return;
    const int64_t value = is_negative ? -*actual : *actual;
    const ExprId symbol = pool_.Symbol(*name);
    if (is_limit) {
      function.further_values.emplace_back(symbol, value);
      return;
    }
    EntryOf(function, event, id).sample.try_emplace(symbol, value);
  }

  /// The size or int that a reason is about.
  std::optional<std::string> NameOf(const Reason& reason) const {
    std::string source = WithoutFrame(session_.text(reason.source));
    const auto dim = static_cast<size_t>(std::max(reason.dim, 0));
    switch (reason.guard_class) {
      case GuardClass::kSize:
        return NameOfSize(source, dim);
      case GuardClass::kStride:
        return NameOfStride(source, dim);
      case GuardClass::kNdim:
        return NameOfNumDims(source);
      case GuardClass::kInt:
        return source;
      case GuardClass::kLength:
        return NameOfLength(source);
      default:
        return std::nullopt;
    }
  }

  void AddFailed(const Reason& reason, const std::optional<std::string>& name,
                 GuardedEntry& entry) {
    ShapeGuard guard;
    guard.user_file = reason.user_file;
    guard.user_line = reason.user_line;
    guard.user_function = reason.user_function;
    guard.code = reason.code;
    if (name) {
      AddFailedConstant(guard, *name, session_.text(reason.expected), entry);
    } else if (reason.guard_class == GuardClass::kSymbolic ||
               reason.guard_class == GuardClass::kZeroOne) {
      guard.kind = ShapeGuard::Kind::kRelation;
      guard.text = reason.guard;
      GuardTexts texts;
      texts.shape.push_back(guard);
      const std::vector<SymbolFact> no_symbols;
      ReadEntry({&texts, &no_symbols, nullptr}, session_, {}, pool_, entry);
      entry.why_not = "only guards of it that failed are printed";
    }
  }

  void AddFailedConstant(const ShapeGuard& guard, const std::string& name,
                         std::string_view expected, GuardedEntry& entry) {
    const bool is_negative = ConsumeFront(expected, "-");
    const auto number = ConsumeUint<int64_t>(expected);
    if (!number || !expected.empty()) return;
    const int64_t value = is_negative ? -*number : *number;
    const ExprId symbol = pool_.Symbol(name);
    if (entry.constants.contains(symbol)) return;
    EntryGuard constant;
    constant.predicate = pool_.Binary(ExprKind::kEqual, symbol, pool_.Integer(value));
    constant.line = {name + " == " + std::to_string(value),
                     {Text(guard.user_function), Text(guard.user_file), guard.user_line},
                     Text(guard.code)};
    entry.constants.emplace(symbol, EntryConstant{entry.guards.size(), value});
    entry.guards.push_back(std::move(constant));
    entry.sample.try_emplace(symbol, value);
  }

  const Session& session_;
  const std::string& name_;
  ExprPool& pool_;
  // By frame, and of each function by the number of its entry.
  std::map<FrameKey, std::vector<size_t>> functions_of_frame_;
  std::vector<std::map<uint64_t, size_t>> entry_of_number_;
  std::vector<GuardedFunction> functions_;
  std::map<FrameKey, size_t> frames_;
};

}  // namespace

std::vector<GuardedFunction> ReadFunctions(const Session& session, const std::string& name,
                                           ExprPool& pool) {
  return FunctionReader(session, name, pool).Read();
}

}  // namespace shapewise
