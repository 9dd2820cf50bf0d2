#include "causes/constant_size.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "causes/version_range.h"
#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Facts = std::vector<SymbolFact>;

bool HasCreated(const Facts& facts) {
  return std::ranges::any_of(
      facts, [](const SymbolFact& fact) { return fact.kind == SymbolFact::Kind::kCreated; });
}

/// What the log says about symbols in `attempt`.
const Facts& FactsOf(const CompileAttempt& attempt) {
  static const Facts none;
  if (attempt.compilation != nullptr) return attempt.compilation->symbols;
  return attempt.guards != nullptr ? attempt.guards->symbols : none;
}

/// The question that made the symbol of `facts[at]` a constant. Releases up to 2.6 print it after
/// the constant, from which on no question contains the symbol. Null: not in the log.
const SymbolFact* QuestionOf(const Session& session, const Facts& facts, size_t at) {
  const std::string_view symbol = session.text(facts[at].symbol);
  const auto asks = [&](const SymbolFact& fact) {
    return fact.kind == SymbolFact::Kind::kGuardAdded &&
           ContainsWord(session.text(fact.expr), symbol);
  };
  const auto specialized = facts.begin() + static_cast<std::ptrdiff_t>(at);
  const auto after = std::find_if(specialized, facts.end(), asks);
  if (after != facts.end()) return &*after;
  const auto before = std::find_if(std::reverse_iterator(specialized), facts.rend(), asks);
  return before == facts.rend() ? nullptr : &*before;
}

/// Whether the log has a symbol of any of the function's compiles.
bool HasSymbols(const CodeObjectHistory& function) {
  return std::ranges::any_of(
      function.attempts, [](const auto& attempt) { return HasCreated(FactsOf(attempt.second)); });
}

/// Whether a tensor of this source becomes dynamic by itself once a size varies. Tensors of modules
/// do not, and whether an attribute is one of a module is not known.
bool IsPlainArgument(const SourceRef& source) {
  const bool is_variable =
      source.root == SourceRef::Root::kArgument || source.root == SourceRef::Root::kGlobal;
  return is_variable && std::ranges::none_of(source.path, [](const SourceStep& step) {
           return step.kind != SourceStep::Kind::kKey && step.kind != SourceStep::Kind::kIndex;
         });
}

}  // namespace

std::string_view ConstantByName(ConstantBy by) {
  return EnumName<ConstantBy::kMark>(
      by, {"nothing", "unknown", "late", "tied", "code", "setting", "mark"});
}

ConstantSizes::ConstantSizes(const Session& session,
                             const std::vector<CodeObjectHistory>& functions)
    : session_(session) {
  for (const Compilation& compilation : session.compilations()) {
    if (HasCreated(compilation.symbols)) with_symbols_.insert(compilation.input);
  }
  for (const PrintedGuards& printed : session.printed_guards()) {
    const bool has_only_symbols = printed.guards.leaves == 0;
    if (has_only_symbols || HasCreated(printed.symbols)) with_symbols_.insert(printed.input);
  }
  // torch/fx/experimental/symbolic_shapes.py: trace_structured("create_symbol") since 2.6.
  constexpr int32_t kFirstRelease = 206;
  is_release_with_symbols_ = FitVersion(session).from >= kFirstRelease;

  for (const CodeObjectHistory& function : functions) {
    if (!function.events.empty() && HasSymbols(function)) {
      functions_with_symbols_.insert(function.events.front().index);
    }
    for (const HistoryEvent event : function.events) {
      const EventDetail& detail = session.detail(session.events()[event.index]);
      const auto entries = function.EntriesOf(session, detail, event.number);
      for (size_t i = 0; i < entries.size(); ++i) {
        const Reason& reason = session.reason(detail.reasons()[i]);
        const bool needs_tensor = reason.guard_class == GuardClass::kType &&
                                  reason.value_type == PythonType::kTensor &&
                                  reason.expected == StrId::kNone;  // no subclass
        if (!entries[i] || (!needs_tensor && reason.guard_class != GuardClass::kNone)) continue;
        OptionalTensor& tensor = optional_tensors_[function.events.front().index][reason.source];
        (needs_tensor ? tensor.with : tensor.without).insert(*entries[i]);
      }
    }
  }
}

std::vector<StrId> ConstantSizes::LateTensors(const CodeObjectHistory& function,
                                              const EntriesByValue& entries) const {
  std::vector<StrId> late;
  if (function.events.empty()) return late;
  const auto tensors = optional_tensors_.find(function.events.front().index);
  if (tensors == optional_tensors_.end()) return late;
  const auto by_entry = [](const auto& of_value) { return of_value.second; };
  const uint32_t newest = std::ranges::max_element(entries, {}, by_entry)->second;
  const uint32_t oldest = std::ranges::min_element(entries, {}, by_entry)->second;
  for (const auto& [source, tensor] : tensors->second) {
    const bool is_argument = IsPlainArgument(ParseSource(session_.text(source)));
    if (is_argument && !tensor.with.empty() && !tensor.with.contains(oldest) &&
        !tensor.without.contains(newest)) {
      late.push_back(source);
    }
  }
  return late;
}

bool ConstantSizes::IsMarkedStatic(const CompileAttempt& attempt, const SourceRef& size) const {
  const auto marks = [&](const ShapeGuard& guard) {
    if (guard.kind != ShapeGuard::Kind::kMark ||
        session_.text(guard.properties) != "static_indices" ||
        NameOfSource(session_.text(guard.source)) != NameOfSource(size.object)) {
      return false;
    }
    std::string_view dims = session_.text(guard.text);  // "{0, 1}"
    while (!dims.empty()) {
      const std::optional<int64_t> dim = ConsumeUint<int64_t>(dims);
      if (dim == size.dim) return true;
      if (!dim) dims.remove_prefix(1);
    }
    return false;
  };
  return (attempt.compilation != nullptr &&
          std::ranges::any_of(attempt.compilation->guard_texts.shape, marks)) ||
         (attempt.guards != nullptr &&
          std::ranges::any_of(attempt.guards->guard_texts.shape, marks));
}

std::optional<ConstantSize> ConstantSizes::Add(const CodeObjectHistory& function,
                                               const Reason& reason, std::optional<uint32_t> entry,
                                               uint32_t number, EntriesByValue& entries) const {
  std::optional<ConstantSize> constant = Compare(function, reason, entry, entries);
  if (constant && constant->by >= ConstantBy::kTied) return constant;
  std::optional<ConstantSize> pinned = FindPinned(function, reason, number, reason.actual);
  // A limit leads to no compile; the entry that failed may have been pinned, too.
  if (!pinned && entry) pinned = FindPinned(function, reason, *entry, reason.expected);
  return pinned ? pinned : constant;
}

std::optional<ConstantSize> ConstantSizes::Compare(const CodeObjectHistory& function,
                                                   const Reason& reason,
                                                   std::optional<uint32_t> entry,
                                                   EntriesByValue& entries) const {
  const bool is_int = reason.guard_class == GuardClass::kInt;
  if (reason.guard_class != GuardClass::kSize && !is_int) return std::nullopt;
  SourceRef size = ParseSource(session_.text(reason.source));
  if (is_int && (size.root != SourceRef::Root::kArgument || !IsPlainArgument(size))) {
    return std::nullopt;  // never becomes symbolic
  }
  if (session_.text(reason.hint) == kNeedsValueHint) return ConstantSize{.by = ConstantBy::kCode};
  size.dim = reason.dim;
  std::string_view text = session_.text(reason.expected);
  const std::optional<int64_t> value = ConsumeUint<int64_t>(text);
  if (size.IsOfModule() || !value || *value < 2) return std::nullopt;
  const bool is_new = entries.try_emplace(*value, entry.value_or(0)).second;
  if (!is_new || entries.size() != 2) return std::nullopt;
  if (is_int || !entry) return ConstantSize();
  const auto with_late = [&](ConstantSize constant) {
    if (constant.by != ConstantBy::kUnknown) return constant;
    constant.partners = LateTensors(function, entries);
    if (!constant.partners.empty()) constant.by = ConstantBy::kLate;
    return constant;
  };
  const auto newest =
      std::ranges::max_element(entries, {}, [](const auto& of_value) { return of_value.second; });
  return with_late(Find(function, newest->second, size, std::to_string(newest->first)));
}

std::optional<ConstantSize> ConstantSizes::FindPinned(const CodeObjectHistory& function,
                                                      const Reason& reason, uint32_t number,
                                                      StrId text) const {
  if (reason.guard_class != GuardClass::kSize) return std::nullopt;
  SourceRef size = ParseSource(session_.text(reason.source));
  size.dim = reason.dim;
  const std::optional<int64_t> value = ParseNumber(session_.text(text));
  if (size.IsOfModule() || !value || *value < 2) return std::nullopt;
  const auto attempt = function.attempts.find(number);
  if (attempt == function.attempts.end() || FactsOf(attempt->second).empty()) return std::nullopt;
  ConstantSize constant = Find(function, number, size, std::to_string(*value));
  const bool is_pinned = constant.by == ConstantBy::kCode || constant.by == ConstantBy::kTied;
  return is_pinned ? std::optional(std::move(constant)) : std::nullopt;
}

StrId ConstantSizes::FindTie(const CodeObjectHistory& function, uint32_t number,
                             const SourceRef& size) const {
  constexpr int kMaxAttempts = 8;  // both are symbols as soon as both have varied
  std::set<StrId> known;
  for (const SymbolFact& fact : FactsOf(function.attempts.at(number))) {
    if (fact.kind == SymbolFact::Kind::kCreated) known.insert(fact.source);
  }
  auto attempt = function.attempts.upper_bound(number);
  for (int i = 0; i < kMaxAttempts && attempt != function.attempts.end(); ++i, ++attempt) {
    const Facts& facts = FactsOf(attempt->second);
    const auto own = std::ranges::find_if(facts, [&](const SymbolFact& fact) {
      if (fact.kind != SymbolFact::Kind::kCreated) return false;
      const SourceRef source = ParseSource(session_.text(fact.source));
      return source.property == SourceRef::Property::kSize && source.dim == size.dim &&
             NameOfSource(source.object) == NameOfSource(size.object);
    });
    if (own == facts.end()) continue;
    const std::string symbol(session_.text(own->symbol));
    for (const SymbolFact& fact : facts) {
      const bool is_other = fact.kind == SymbolFact::Kind::kCreated && !known.contains(fact.source);
      if (!is_other || !HasText(session_.text(fact.source), ".size()[")) continue;
      const std::string other(session_.text(fact.symbol));
      const bool is_asked = std::ranges::any_of(facts, [&](const SymbolFact& question) {
        return question.kind == SymbolFact::Kind::kGuardAdded &&
               IsOneOf(session_.text(question.expr),
                       {"Eq(" + symbol + ", " + other + ")", "Eq(" + other + ", " + symbol + ")"});
      });
      if (is_asked) return fact.source;
    }
  }
  return StrId::kNone;
}

ConstantSize ConstantSizes::Find(const CodeObjectHistory& function, uint32_t number,
                                 const SourceRef& size, std::string_view value) const {
  const auto found = function.attempts.find(number);
  if (found == function.attempts.end()) return {};
  const CompileAttempt& attempt = found->second;
  if (IsMarkedStatic(attempt, size)) return {.by = ConstantBy::kMark};
  const bool is_traced = attempt.compilation != nullptr;
  const Facts& facts = FactsOf(attempt);

  // Sizes that are equal share a symbol, and only the first of them is recorded.
  const SymbolFact* created = nullptr;
  for (const SymbolFact& fact : facts) {
    if (fact.kind != SymbolFact::Kind::kCreated) continue;
    const SourceRef source = ParseSource(session_.text(fact.source));
    if (source.property != SourceRef::Property::kSize) continue;
    const bool is_own =
        source.dim == size.dim && NameOfSource(source.object) == NameOfSource(size.object);
    if (is_own || (created == nullptr && session_.text(fact.value) == value)) created = &fact;
    if (is_own) break;
  }
  if (created == nullptr) {
    const bool is_in_log = is_traced || attempt.guards != nullptr ||
                           !functions_with_symbols_.contains(function.events.front().index);
    const bool is_recorded = (is_in_log && with_symbols_.contains(function.input)) ||
                             (is_traced && is_release_with_symbols_);
    return {.by =
                is_recorded && IsPlainArgument(size) ? ConstantBy::kSetting : ConstantBy::kUnknown};
  }
  for (size_t i = 0; i < facts.size(); ++i) {
    const SymbolFact& fact = facts[i];
    if (fact.kind != SymbolFact::Kind::kSpecialized || fact.symbol != created->symbol) continue;
    ConstantSize constant{.by = ConstantBy::kCode};
    if (const StrId tie = FindTie(function, number, size); tie != StrId::kNone) {
      constant = {.by = ConstantBy::kTied, .partners = {tie}};
    }
    const SymbolFact* const question = QuestionOf(session_, facts, i);
    if (question == nullptr) return constant;
    constant.place = {std::string(session_.text(question->user_function)),
                      std::string(session_.text(question->user_file)), question->user_line};
    return constant;
  }
  return {};
}

PinnedDims::PinnedDims(const Session& session) : session_(session) {
  const auto add = [this](const auto& compiled) {
    if (compiled.symbols.empty()) return;
    facts_.try_emplace({compiled.input, compiled.rank, compiled.compile_id}, &compiled.symbols);
  };
  for (const Compilation& compilation : session.compilations()) add(compilation);
  for (const PrintedGuards& printed : session.printed_guards()) add(printed);
}

std::optional<PinnedDim> PinnedDims::Find(const Event& event, std::string_view source,
                                          int32_t dim) const {
  const auto found = facts_.find({event.input, event.rank, event.compile_id});
  if (found == facts_.end()) return std::nullopt;
  const Facts& facts = *found->second;
  std::map<StrId, SourceRef> sizes;  // by symbol
  std::optional<PinnedDim> pinned;
  for (size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].kind == SymbolFact::Kind::kCreated) {
      const SourceRef size = ParseSource(session_.text(facts[i].source));
      const bool is_own = size.dim == dim && NameOfSource(size.object) == NameOfSource(source);
      const bool is_sought = source.empty() || is_own;
      if (size.property == SourceRef::Property::kSize && is_sought) sizes[facts[i].symbol] = size;
    }
    const auto size = sizes.find(facts[i].symbol);
    if (facts[i].kind != SymbolFact::Kind::kSpecialized || size == sizes.end()) continue;
    if (pinned) return std::nullopt;  // which of them was to vary is not known
    pinned = PinnedDim{.source = std::string(size->second.object),
                       .dim = size->second.dim,
                       .value = std::string(session_.text(facts[i].value)),
                       .question = QuestionOf(session_, facts, i)};
  }
  return pinned;
}

}  // namespace shapewise
