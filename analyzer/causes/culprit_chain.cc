#include "causes/culprit_chain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "causes/value_pattern.h"
#include "causes/value_use.h"
#include "model/compile_number.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether a size forced more compiles than one dynamic size can: its first value, the graph for
/// all others, and one each for 0 and 1. Then each case of another culprit needs all of them.
bool IsMultiplied(const Chain& chain) {
  constexpr uint64_t kMostChanges = 3;
  const bool is_of_size =
      chain.guard_class == GuardClass::kSize || chain.guard_class == GuardClass::kZeroOne;
  return is_of_size && chain.constant.by == ConstantBy::kNothing && chain.num_zero_one > 0 &&
         chain.num_recompiles > kMostChanges;
}

/// Whether the reason is requires_grad of a parameter.
bool IsOfParameter(const Session& session, GuardClass guard_class, StrId source) {
  if (guard_class != GuardClass::kRequiresGrad) return false;
  const SourceRef parsed = ParseSource(session.text(source));
  return !parsed.path.empty() && parsed.path.back().kind == SourceStep::Kind::kTensor;
}

/// Whether `guard_class` is one of Python objects, not of tensors or settings.
bool IsOfObject(GuardClass guard_class) {
  switch (guard_class) {
    case GuardClass::kInt:
    case GuardClass::kFloat:
    case GuardClass::kBool:
    case GuardClass::kStr:
    case GuardClass::kNone:
    case GuardClass::kLength:
    case GuardClass::kKeys:
    case GuardClass::kType:
    case GuardClass::kIdentity:
      return true;
    default:
      return false;
  }
}

/// What has two states in the culprit: the settings of the process, or the value itself. Empty: it
/// may have more states.
std::set<std::string_view> SettingsOf(const Session& session, const Chain& chain) {
  std::set<std::string_view> settings;
  const GuardClass group = chain.key.group;
  // Each set of parameters that are frozen is a state.
  if (IsOfParameter(session, group, chain.printed_source)) return {};
  if (group == GuardClass::kGlobalState) {
    for (const auto& [stretch, history] : chain.histories) {
      const std::vector<std::string_view> values = ValuesInOrder({&history});
      if (!HasTwoStates(group, values)) return {};
      for (const std::string_view value : values) {
        for (std::string_view rest = TrimLeft(value); !rest.empty(); rest = TrimLeft(rest)) {
          const std::string_view word = rest.substr(0, rest.find(' '));
          settings.insert(word);
          rest.remove_prefix(word.size());
        }
      }
    }
    return settings;
  }
  if (HasTwoStates(group, {})) settings.insert("");
  return settings;
}

/// The other integers of modules that varied, and those that the printed line adds to: the guards
/// on them come after, and fail next. Empty: none.
std::string OtherIntsOf(const Session& session, const Chain& chain,
                        const std::deque<Chain>& chains) {
  constexpr std::string_view kHint = "allow_unspec_int_on_nn_module";
  if (session.text(chain.hints.Best()) != kHint) return {};
  const SourceRef source = ParseSource(session.text(chain.printed_source));
  std::vector<std::string_view> others;
  for (const std::string_view target : IncrementedTargets(session.text(chain.code))) {
    const bool is_item = target.find_first_of(".[") != kNotFound;
    if (is_item && ParseSource(target).LastName() != source.LastName()) others.push_back(target);
  }
  for (const Chain& other : chains) {
    if (&other == &chain || session.text(other.hints.Best()) != kHint) continue;
    const std::string_view name = session.text(other.printed_source);
    if (std::ranges::find(others, name) == others.end()) others.push_back(name);
  }
  constexpr size_t kMaxShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(others.size(), kMaxShown); ++i) {
    text.append(i == 0 ? "" : ", ").append(others[i]);
  }
  return text;
}

/// Whether the only known value is the number of the entry that was compiled for it, counted from 0
/// or 1: "0/7: n == 7". It may be a counter then, or the number by chance.
bool IsOwnNumber(const Session& session, const Chain& chain,
                 const std::vector<std::string_view>& values) {
  const bool can_count =
      chain.guard_class == GuardClass::kInt || chain.guard_class == GuardClass::kLength;
  if (!can_count || values.size() != 1) return false;
  const std::vector<ReasonId>& reasons =
      session.detail(session.events()[chain.events.back()]).reasons();
  return std::ranges::any_of(reasons, [&](ReasonId id) {
    const auto entry = ParseCompileNumber(session.text(session.reason(id).entry));
    // Flags and counts of 0 and 1 are common.
    return entry && entry->compile > 1 &&
           (values[0] == std::to_string(entry->compile) ||
            values[0] == std::to_string(entry->compile + 1));
  });
}

/// "train.py:30", or "timm/layers/patch_embed.py:129".
std::string ShortPlace(const Place& place) {
  std::string_view file = PathFromPackage(place.file);
  if (OwnerOf(place.file).IsUser()) file = file.substr(file.rfind('/') + 1);
  return std::string(file) + ":" + std::to_string(place.line);
}

/// Parameters whose requires_grad differs from one compile to the next.
struct SwitchedParameters {
  std::set<StrId> sources;
  size_t num_compiles = 0;
};

SwitchedParameters FindSwitched(const Session& session, const Cause& cause) {
  SwitchedParameters switched;
  for (const size_t event : cause.events) {
    const EventDetail& detail = session.detail(session.events()[event]);
    if (detail.kind() != EventKind::kRecompile || detail.reasons().empty()) continue;
    const Reason& reason = session.reason(detail.reasons().front());
    if (reason.guard_class != GuardClass::kRequiresGrad) continue;
    ++switched.num_compiles;
    switched.sources.insert(reason.source);
  }
  return switched;
}

/// Whether it is another parameter at each compile, as in the stages of a schedule that trains one
/// layer more.
bool AreStages(const SwitchedParameters& switched) {
  constexpr size_t kMinStages = 3;
  return switched.num_compiles >= kMinStages && switched.sources.size() == switched.num_compiles;
}

/// The list of modules that has the parameters, "model.encoder.layers"; empty: they are not of
/// several modules of one list.
std::string BlocksOf(const Session& session, const SwitchedParameters& switched) {
  std::set<std::string> lists;
  std::set<std::string> indices;
  for (const StrId source : switched.sources) {
    const std::string name = SpellSources(session.text(source), SourceSpelling::kPython);
    const size_t begin = name.find('[');
    if (begin == kNotFound || begin + 1 == name.size() || !IsDigit(name[begin + 1])) return {};
    lists.insert(name.substr(0, begin));
    indices.insert(name.substr(begin, name.find(']', begin) - begin));
  }
  if (lists.size() != 1 || indices.size() < 2) return {};
  std::string_view list = *lists.begin();
  return ConsumeFront(list, "self.") ? "model." + std::string(list) : std::string(list);
}

/// What `code` looks up by the value of `source`: "models[task]" in "model = models[task]". Empty:
/// nothing.
std::string_view LookupBy(std::string_view code, std::string_view source) {
  const std::string_view name = ParseSource(source).LastName();
  const auto is_of_name = [](char c) { return IsWordChar(c) || c == '.'; };
  for (size_t at = code.find('['); at != kNotFound; at = code.find('[', at + 1)) {
    size_t begin = at;
    while (begin > 0 && is_of_name(code[begin - 1])) --begin;
    size_t end = at + 1;
    while (end < code.size() && is_of_name(code[end])) ++end;
    if (begin == at || end == code.size() || code[end] != ']') continue;
    const std::string_view key = code.substr(at + 1, end - at - 1);
    if (key.substr(key.rfind('.') + 1) != name) continue;
    // A line that writes there looks nothing up.
    std::string_view rest = TrimLeft(code.substr(end + 1));
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("+-*/%@&|^")));
    const bool is_written = rest.starts_with('=') && !rest.starts_with("==");
    if (!is_written) return code.substr(begin, end + 1 - begin);
  }
  return {};
}

/// Adds what the printed lines name next to the culprit, whose guards come after its own: Dynamo
/// prints only the first that fails.
void AddLineFacts(std::string_view code, std::string_view outer_code, Cause& cause) {
  const SourceRef source = ParseSource(cause.culprit->source);
  const GuardClass guard_class = cause.culprit->guard_class;
  if (guard_class == GuardClass::kIdentity) {
    const bool passes_others = FindWord(outer_code, source.name) != kNotFound &&
                               FindText(outer_code, ",") != kNotFound && !source.name.empty();
    if (passes_others) cause.facts.emplace_back("passing_call", outer_code);
  } else if (guard_class == GuardClass::kLength) {
    const std::string_view item = AppendedItem(code, source);
    if (!item.empty()) cause.facts.emplace_back("appended", item);
  } else if (cause.use == ValueUse::kBranch) {
    const std::vector<std::string_view> names = OtherOperands(code, source.LastName());
    if (!names.empty()) cause.facts.emplace_back("line_names", Joined(names, ", "));
  }
}

/// The number of entries for which all `chains` of a function account, if each has two states.
/// Nothing: one of them may have any number of values.
std::optional<uint64_t> NumStates(const Session& session, const std::deque<Chain>& chains) {
  uint64_t num_settings = 0;
  for (const Chain& chain : chains) {
    const size_t num_of_chain = SettingsOf(session, chain).size();
    if (num_of_chain == 0) return std::nullopt;
    num_settings += num_of_chain;
  }
  constexpr uint64_t kMaxSettings = 62;
  return uint64_t{1} << std::min(num_settings, kMaxSettings);
}

}  // namespace

void SharedCauses::Note(const Session& session, const Reason& reason) {
  if (parameter_ == nullptr && IsOfParameter(session, reason.guard_class, reason.source)) {
    parameter_ = &reason;
  }
  const bool is_of_object =
      reason.guard_class == GuardClass::kLength || reason.guard_class == GuardClass::kType;
  if (!is_of_object) return;
  const std::string source = SpellSources(session.text(reason.source), SourceSpelling::kReason);
  if (reason.guard_class == GuardClass::kLength && source == "args") length_of_args_ = &reason;
  if (reason.guard_class == GuardClass::kType && source == "args[0]") type_of_first_ = &reason;
}

const Reason* SharedCauses::LeadOf(const Session& session, const Reason& reason) const {
  if (IsOfParameter(session, reason.guard_class, reason.source)) return parameter_;
  if (!IsOfDecorator()) return &reason;
  const SourceRef source = ParseSource(session.text(reason.source));
  const bool is_of_args = source.root == SourceRef::Root::kArgument && source.name == "args";
  return is_of_args && IsOfObject(reason.guard_class) ? length_of_args_ : &reason;
}

void NoteChange(const Session& session, const Reason& reason, uint32_t stretch, Chain& chain) {
  if (reason.guard_class == GuardClass::kInt) {
    // It was a constant; after a range, it is one because the code needs its value.
    chain.size_changes[stretch] += chain.left_range == nullptr ? 1 : 2;
  } else if (reason.guard_class == GuardClass::kSize) {
    const std::string_view actual = session.text(reason.actual);
    // 0 and 1 are constants whatever was seen before.
    const std::string_view expected = session.text(reason.expected);
    const bool is_zero_one = IsOneOf(actual, {"0", "1"}) || IsOneOf(expected, {"0", "1"});
    ++(is_zero_one ? chain.num_zero_one : chain.size_changes[stretch]);
  } else if (chain.left_range == nullptr ||
             IsMoreSpecific(reason.guard_class, chain.left_range->guard_class) ||
             (FixesQuotient(session.text(reason.guard)) &&
              !FixesQuotient(session.text(chain.left_range->guard)))) {
    chain.left_range = &reason;
  }
}

Chain* MostFrequent(std::deque<Chain>& chains) {
  Chain* most = nullptr;
  for (Chain& chain : chains) {
    if (chain.num_recompiles > (most == nullptr ? 0 : most->num_recompiles)) most = &chain;
  }
  return most;
}

Chain* MultiplierOf(const Session& session, const Chain& last, std::deque<Chain>& chains) {
  const bool is_multiplied = IsMultiplied(last);
  const bool has_two_states = !SettingsOf(session, last).empty();
  Chain* multiplier = nullptr;
  uint64_t most_recompiles = is_multiplied || has_two_states ? 0 : last.num_recompiles;
  for (Chain& candidate : chains) {
    const bool is_of_value =
        candidate.guard_class == GuardClass::kInt || candidate.guard_class == GuardClass::kFloat ||
        candidate.guard_class == GuardClass::kBool || candidate.guard_class == GuardClass::kStr ||
        candidate.guard_class == GuardClass::kIdentity;
    if (is_multiplied ? !is_of_value : !SettingsOf(session, candidate).empty()) continue;
    if (candidate.num_recompiles <= most_recompiles) continue;
    most_recompiles = candidate.num_recompiles;
    multiplier = &candidate;
  }
  return multiplier;
}

ChainTotals TotalsOf(const Session& session, const std::deque<Chain>& chains) {
  constexpr size_t kMaxShown = 4;
  ChainTotals totals;
  std::map<std::pair<std::string, uint32_t>, std::string> pins;  // by line
  for (const Chain& chain : chains) {
    totals.has_relations |= chain.is_symbolic;
    if (chain.limit_hit && !totals.limit) totals.limit = chain.limit_name;
    const Place& place = chain.constant.place;
    const bool is_pinned = chain.constant.by == ConstantBy::kCode && chain.key.dim >= 0 &&
                           !place.file.empty() && !chain.events.empty();
    if (!is_pinned) continue;
    const std::string_view source = session.text(chain.printed_source);
    pins.try_emplace({place.file, place.line},
                     ShortPlace(place) + " (dim " + std::to_string(chain.key.dim) + " of " +
                         SpellSources(source, SourceSpelling::kPython) + ")");
  }
  if (pins.size() < 2) return totals;
  std::vector<std::string> texts;
  for (const auto& [line, text] : pins) {
    if (texts.size() < kMaxShown) texts.push_back(text);
  }
  totals.pins = Joined(texts, " and ");
  return totals;
}

/// Adds the sets of parameters that are trained in turn. Without a limit hit, few of them are no
/// series.
void AddStages(const Session& session, Cause& cause) {
  const SwitchedParameters switched = FindSwitched(session, cause);
  const bool are_stages = AreStages(switched);
  if (are_stages) cause.facts.emplace_back("stages", std::to_string(switched.num_compiles));
  if (!are_stages && !cause.limit_hit) return;
  if (std::string blocks = BlocksOf(session, switched); !blocks.empty()) {
    cause.facts.emplace_back("blocks", std::move(blocks));
  }
}

void AddLimitFacts(const Session& session, const std::deque<Chain>& chains, const Chain& chain,
                   const std::vector<std::string_view>& values, Cause& cause) {
  // The warning alone names one reason; records of recompiles, one for each entry.
  const auto is_without_record = [&](const Chain& each) {
    return each.num_recompiles == 0 && (&each == &chain || each.events.empty());
  };
  const bool is_of_size = chain.guard_class == GuardClass::kSize;
  if (is_of_size && std::ranges::all_of(chains, is_without_record)) {
    cause.facts.emplace_back("lone_record", "the warning");
  }
  if (IsOwnNumber(session, chain, values)) cause.facts.emplace_back("own_number", values.front());
  const std::optional<uint64_t> states = NumStates(session, chains);
  if (states && static_cast<int64_t>(*states) < cause.limit) {
    cause.facts.emplace_back("states", std::to_string(*states));
  }
}

void AddChainFacts(const Session& session, const Chain& chain, const std::deque<Chain>& chains,
                   const ChainTotals& totals, Cause& cause) {
  if (cause.culprit->guard_class == GuardClass::kLength) {
    const std::string name = SpellSources(cause.culprit->source, SourceSpelling::kReason);
    const bool is_passed_on = PassesOnArguments(session.text(chain.code), name);
    if (is_passed_on || name == "args") cause.facts.emplace_back("variadic", name);
    if (is_passed_on && FactOf(cause, "wrapped").empty())
      cause.facts.emplace_back("wrapped", "numbers");
  }
  if (totals.limit && !chain.limit_hit && cause.culprit->guard_class == GuardClass::kIdentity) {
    cause.facts.emplace_back("past_limit", LimitNameText(*totals.limit));
  }
  if (cause.culprit->guard_class == GuardClass::kStr) {
    const std::string_view lookup =
        LookupBy(session.text(chain.code), session.text(chain.printed_source));
    if (!lookup.empty()) cause.facts.emplace_back("looked_up", lookup);
  }
  AddLineFacts(session.text(chain.code), session.text(chain.outer_code), cause);
  if (std::string numbers = OtherIntsOf(session, chain, chains); !numbers.empty()) {
    cause.facts.emplace_back("other_ints", std::move(numbers));
  }
  if (std::string calls = TensorMathText(chain.math_calls); !calls.empty()) {
    cause.facts.emplace_back("math_calls", std::move(calls));
  }
  // Without one, dynamic=False may have made all of them constants.
  const bool is_unknown =
      chain.constant.by == ConstantBy::kUnknown || chain.constant.by == ConstantBy::kLate;
  if (is_unknown && totals.has_relations) {
    cause.facts.emplace_back("symbols", "relations in guards");
  }
  if (chain.constant.by == ConstantBy::kCode) {
    if (!totals.pins.empty()) cause.facts.emplace_back("pins", totals.pins);
    // The user's own code calls modules of such a library; PyTorch's may come from any line.
    const CodeOwner owner = OwnerOf(chain.constant.place.file);
    if (!owner.IsUser() && owner.library != "torch") {
      cause.facts.emplace_back("pinning_library", owner.library);
    }
  }
  if (!chain.constant.partners.empty()) {
    std::vector<std::string> partners;
    for (const StrId partner : chain.constant.partners) {
      const SourceRef source = ParseSource(session.text(partner));
      const bool is_size = source.property == SourceRef::Property::kSize;
      partners.push_back((is_size ? "dim " + std::to_string(source.dim) + " of " : "") +
                         SpellSources(NameOfSource(source.object), SourceSpelling::kPython));
    }
    cause.facts.emplace_back("partner", Joined(partners, " and "));
  }
}

bool DescribeRange(const Session& session, const Chain& chain, Cause& cause) {
  const bool is_size = chain.guard_class == GuardClass::kSize;
  const bool stays_constant = chain.constant.by != ConstantBy::kNothing;
  if (is_size && (stays_constant || chain.num_recompiles < 2)) return false;
  if (chain.left_range == nullptr && chain.num_zero_one == 0) return false;
  for (const auto& [stretch, changes] : chain.size_changes) {
    if (changes > 1) return false;
  }
  cause.is_after_first_change = is_size;
  const Reason* range = chain.left_range;
  cause.culprit->guard_class = range == nullptr ? GuardClass::kZeroOne : range->guard_class;
  if (range == nullptr) return false;
  cause.message = session.text(range->guard);
  const std::string_view code = session.text(range->code);
  if (!is_size && (HasText(cause.message, " <") || HasText(cause.message, " >"))) {
    cause.use = std::max(cause.use, ValueUse::kBranch);  // code compares it, by any name
  }
  // The comment of such a guard says that the line may only use the size.
  const bool is_first_use =
      session.text(range->hint) == "mark_unbacked" && IsLibraryFile(session.text(range->user_file));
  if (range->guard_class == GuardClass::kSymbolic && !code.empty() && !is_first_use) {
    cause.facts.emplace_back("guard_line", code);
  }
  if (const std::string_view file = session.text(range->user_file); !file.empty()) {
    cause.facts.emplace_back(
        "asked_at", std::string(PathFromPackage(file)) + ":" + std::to_string(range->user_line));
  }
  return true;
}

}  // namespace shapewise
