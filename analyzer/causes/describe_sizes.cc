#include "causes/describe_sizes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "causes/container_items.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsOfSizes(GuardClass guard_class) {
  return guard_class == GuardClass::kSize || guard_class == GuardClass::kZeroOne ||
         guard_class == GuardClass::kStride || guard_class == GuardClass::kSymbolic;
}

/// A symbol, and the first number above what it was compared with.
struct Comparison {
  std::string_view symbol;
  int64_t first_above = 0;
};

/// Parses "s77 < 16", "s77 >= 16" and "15 >= s77": s77, 16.
std::optional<Comparison> ParseComparison(std::string_view expr) {
  constexpr std::pair<std::string_view, int> kOperators[] = {
      {" <= ", 1}, {" >= ", 0}, {" < ", 0}, {" > ", 1}};
  for (const auto& [op, above] : kOperators) {
    const size_t at = FindText(expr, op);
    if (at == kNotFound) continue;
    const std::string_view left = Trim(expr.substr(0, at));
    const std::string_view right = Trim(expr.substr(at + op.size()));
    if (const auto number = ParseNumber(right)) return Comparison{left, *number + above};
    if (const auto number = ParseNumber(left)) return Comparison{right, *number + 1 - above};
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether `values` has sizes on both sides of `bound`; 0 and 1 have graphs of their own.
bool AreOnBothSides(const std::vector<std::string>& values, int64_t bound) {
  bool is_below = false;
  bool is_above = false;
  for (const std::string& value : values) {
    const std::optional<int64_t> size = ParseNumber(value);
    if (!size || *size < 2) continue;
    (*size < bound ? is_below : is_above) = true;
  }
  return is_below && is_above;
}

/// Names of what a program keeps between calls.
constexpr std::string_view kKept[] = {"cache", "past", "kv", "state", "memory", "hidden"};

bool IsKept(const SourceRef& source) {
  const auto is_kept = [](std::string_view name) {
    return std::ranges::any_of(kKept,
                               [name](std::string_view word) { return HasText(name, word); });
  };
  return source.LastName() != "grad" && (source.root == SourceRef::Root::kSelf ||
                                         is_kept(source.name) || is_kept(source.LastName()));
}

/// Whether values of this class that come back suggest several objects. A flag is switched.
bool IsOfObjects(GuardClass guard_class) {
  return guard_class == GuardClass::kInt || guard_class == GuardClass::kFloat ||
         guard_class == GuardClass::kStr || guard_class == GuardClass::kLength;
}

void NameFirst(std::string& field, std::string_view source) {
  if (field.empty()) field = SpellSources(source, SourceSpelling::kPython);
}

/// Adds what else varies in the function of `cause`.
void AddOthers(const VaryingSources& varying, Cause& cause) {
  const auto add = [&cause](std::string_view name, const std::string& text) {
    if (!text.empty()) cause.facts.emplace_back(name, text);
  };
  add("emptied", varying.emptied);
  add("several_modules", varying.of_modules);
  add("several_objects", varying.of_objects);
  if (cause.culprit->guard_class != GuardClass::kKeys) return;
  constexpr std::ptrdiff_t kMaxShown = 3;
  const std::set<std::string>& tensors = varying.tensors;
  const auto end = std::next(tensors.begin(), std::min(kMaxShown, std::ssize(tensors)));
  add("sized", Joined(std::vector(tensors.begin(), end), ", "));
}

}  // namespace

VaryingSources FindVaryingSources(const Session& session, const std::deque<Chain>& chains) {
  VaryingSources varying;
  for (const Chain& chain : chains) {
    const std::string_view noted = session.text(chain.source);
    const SourceRef parsed = ParseSource(noted);
    const bool is_emptied = chain.key.group == GuardClass::kNone &&
                            std::ranges::any_of(chain.histories, [](const auto& of_stretch) {
                              return of_stretch.second.BecomesNone();
                            });
    if (is_emptied && IsKept(parsed)) NameFirst(varying.emptied, noted);
    const bool is_of_self = parsed.root == SourceRef::Root::kSelf;
    // A string of an argument is a mode, which the caller switches.
    const bool is_mode = chain.key.group == GuardClass::kStr && !is_of_self;
    if (chain.alternates && IsOfObjects(chain.key.group) && parsed.IsAttribute() && !is_mode) {
      NameFirst(is_of_self ? varying.of_modules : varying.of_objects, noted);
    }
    const std::string_view source = session.text(chain.printed_source);
    if (source.empty()) continue;
    if (IsOfSizes(chain.guard_class)) varying.tensors.insert(NameOfSource(source));
    if (chain.guard_class == GuardClass::kLength) varying.lists.insert(NameOfSource(source));
  }
  return varying;
}

SizeBounds::BySize SizeBounds::Read(const CodeObjectHistory& history) const {
  BySize bounds;
  for (const auto& [number, attempt] : history.attempts) {
    const std::vector<SymbolFact>* facts = nullptr;
    if (attempt.compilation != nullptr) facts = &attempt.compilation->symbols;
    if (attempt.guards != nullptr && !attempt.guards->symbols.empty()) {
      facts = &attempt.guards->symbols;
    }
    if (facts == nullptr) continue;
    std::map<std::string_view, std::pair<std::string, int32_t>> sizes;  // by symbol
    for (const SymbolFact& fact : *facts) {
      if (fact.kind == SymbolFact::Kind::kCreated) {
        const SourceRef source = ParseSource(session_.text(fact.source));
        if (source.property == SourceRef::Property::kSize) {
          sizes[session_.text(fact.symbol)] = {NameOfSource(source.object), source.dim};
        }
      } else if (fact.kind == SymbolFact::Kind::kGuardAdded) {
        const auto comparison = ParseComparison(session_.text(fact.expr));
        const auto size = comparison ? sizes.find(comparison->symbol) : sizes.end();
        if (size != sizes.end()) {
          bounds.emplace(size->second, Bound{comparison->first_above, &fact});
        }
      }
    }
  }
  return bounds;
}

const SizeBounds::Bound* SizeBounds::Find(uint32_t stretch, const Cause& cause) {
  if (stretch >= of_history_.size()) return nullptr;
  std::optional<BySize>& bounds = of_history_[stretch];
  if (!bounds) bounds = Read(histories_[stretch]);
  const auto [begin, end] =
      bounds->equal_range({NameOfSource(cause.culprit->source), cause.culprit->dim});
  const auto found = std::find_if(begin, end, [&](const auto& bound) {
    return AreOnBothSides(cause.values, bound.second.first_above);
  });
  return found == end ? nullptr : &found->second;
}

void DescribeSizes(const Session& session, const VaryingSources& varying, const Chain& chain,
                   SizeBounds& bounds, Cause& cause) {
  AddOthers(varying, cause);
  if (!IsOfSizes(cause.culprit->guard_class)) return;
  const SourceRef source = ParseSource(cause.culprit->source);
  cause.is_lone_tensor = varying.tensors.size() == 1 && source.root == SourceRef::Root::kArgument &&
                         !source.name.empty() && source.path.empty();
  const auto item = ParseListItem(cause.culprit->source);
  if (item && varying.lists.contains(NameOfSource(item->list))) {
    cause.facts.emplace_back("item_list", ItemsOf(*item));
  }
  for (const auto& [stretch, history] : chain.histories) {
    const SizeBounds::Bound* const bound = bounds.Find(stretch, cause);
    if (bound == nullptr) continue;
    cause.facts.emplace_back("bound", std::to_string(bound->first_above));
    const std::string_view file = session.text(bound->question->user_file);
    if (!file.empty()) {
      cause.facts.emplace_back(
          "bound_at", std::string(file) + ":" + std::to_string(bound->question->user_line));
    }
    return;
  }
}

void MarkSettled(std::vector<Cause>& causes) {
  constexpr size_t kMaxSettled = 2;
  std::vector<Cause*> settled;
  for (Cause& cause : causes) {
    if (!cause.culprit || !IsOfSizes(cause.culprit->guard_class)) continue;
    const bool is_once = cause.culprit->guard_class == GuardClass::kSize &&
                         cause.pattern == ValuePattern::kOnce && !cause.limit_hit && !cause.fatal;
    if (!is_once || settled.size() == kMaxSettled) return;
    settled.push_back(&cause);
  }
  for (Cause* const cause : settled) cause->is_settled = true;
}

}  // namespace shapewise
