#include "causes/value_pattern.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

std::optional<int64_t> IntValue(std::string_view text) {
  // Sizes of real tensors need far fewer bits; the bound keeps differences from overflowing.
  constexpr int64_t kLimit = int64_t{1} << 61;
  const std::optional<int64_t> value = ParseNumber(text);
  return value && *value <= kLimit && *value >= -kLimit ? value : std::nullopt;
}

struct Movement {
  size_t num_values = 0;  // without consecutive duplicates
  bool all_ints = true;
  bool only_rises = true;
  bool steps_by_one = true;
};

// Compile ids and values may start again after a reset: only steps inside one history count.
Movement Follow(const ValueHistories& histories) {
  Movement movement;
  for (const ValueHistory* history : histories) {
    std::optional<int64_t> previous;
    for (const auto& [compile, text] : history->values()) {
      const std::optional<int64_t> value = IntValue(text);
      if (!value) {
        movement.all_ints = false;
        return movement;
      }
      if (previous == value) continue;
      ++movement.num_values;
      if (previous) {
        movement.only_rises &= *value > *previous;
        movement.steps_by_one &= *value == *previous + 1;
      }
      previous = value;
    }
  }
  return movement;
}

// Whether each value is the number of its entry, counted from 0 or 1: "0/0: i == 0", then "last
// reason: 0/7: i == 7". A single value, as in a limit warning alone, may be so by chance.
bool NumbersEntries(const ValueHistories& histories) {
  if (histories.size() != 1 || histories[0]->values().size() < 2) return false;
  return std::ranges::any_of(std::array{0, 1}, [&](int64_t first) {
    return std::ranges::all_of(histories[0]->values(), [first](const auto& entry) {
      return IntValue(entry.second) == int64_t{entry.first} + first;
    });
  });
}

// Sizes that rise by the same step over this many compiles belong to a growing tensor. Five
// different batch sizes come in ascending order once in 5! = 120 times, evenly spaced even less
// often; three sizes, such as 2, 3, 4, once in 6 times.
constexpr int64_t kGrowthCompiles = 5;

// A list grows by append; its length is stronger evidence than a size, which any other batch has as
// well.
constexpr int64_t kListGrowthCompiles = 4;

// The growth of a history: a constant step per value or per compile.
struct Growth {
  bool is_steady = true;
  std::optional<int64_t> step;
  int64_t reach = 1;  // number of values, or compiles from the first value to the last
};

// The growth over the known values of `history`. A log may print only some of them: "0/1: 1 != 2",
// then "last reason: 0/7: 7 != 8". So the step may also be one per compile.
Growth FollowGrowth(const ValueHistory& history, bool by_compile) {
  Growth growth;
  std::optional<std::pair<int64_t, int64_t>> previous;  // compile, value
  for (const auto& [compile, text] : history.values()) {
    const std::optional<int64_t> value = IntValue(text);
    if (!value) return Growth{false, std::nullopt, 1};
    if (!by_compile && previous && previous->second == *value) continue;
    if (previous) {
      const int64_t distance = by_compile ? compile - previous->first : 1;
      const int64_t rise = *value - previous->second;
      if (rise <= 0 || rise % distance != 0 ||
          growth.step.value_or(rise / distance) != rise / distance) {
        return Growth{false, std::nullopt, 1};
      }
      growth.step = rise / distance;
      growth.reach += distance;
    }
    previous = {compile, *value};
  }
  return growth;
}

// Whether some history shows growth, and none contradicts it.
bool Grows(const ValueHistories& histories, int64_t min_reach) {
  for (const bool by_compile : {false, true}) {
    int64_t reach = 0;
    std::optional<int64_t> step;
    bool is_steady = true;
    for (const ValueHistory* history : histories) {
      const Growth growth = FollowGrowth(*history, by_compile);
      is_steady &=
          growth.is_steady && (!growth.step || step.value_or(*growth.step) == *growth.step);
      if (growth.step) step = growth.step;
      // Two values are always evenly spaced.
      if (history->values().size() >= 3) reach = std::max(reach, growth.reach);
    }
    if (is_steady && reach >= min_reach) return true;
  }
  return false;
}

/// Whether the values rise by one per compile: 0, 1, then 7 in the eighth. Most logs print only
/// some of them, and three on one line are not a coincidence.
bool CountsCompiles(const ValueHistories& histories) {
  return histories.size() == 1 && histories[0]->values().size() >= 3 &&
         FollowGrowth(*histories[0], /*by_compile=*/true).step == 1;
}

bool IsGeometry(GuardClass guard_class) {
  return guard_class == GuardClass::kSize || guard_class == GuardClass::kStride ||
         guard_class == GuardClass::kNdim || guard_class == GuardClass::kSymbolic ||
         guard_class == GuardClass::kZeroOne;
}

// What a caller hands over, as against the state of the process and the shape of tensors.
bool IsParameter(const PatternEvidence& evidence) {
  const GuardClass guard_class = evidence.guard_class;
  if (guard_class == GuardClass::kOther) return evidence.value_type != PythonType::kUnknown;
  return !IsGeometry(guard_class) && guard_class != GuardClass::kGlobalState &&
         guard_class != GuardClass::kBackend && guard_class != GuardClass::kAliasing;
}

/// Whether the program chooses it, whatever the parameters are: a string argument, how many
/// arguments there are, a number that a graph break hands on, or one that a package takes, which
/// may be the user's own.
bool IsChosenByCall(const PatternEvidence& evidence) {
  const SourceRef& source = evidence.source;
  const bool is_number =
      evidence.guard_class == GuardClass::kInt || evidence.guard_class == GuardClass::kFloat;
  if (source.root == SourceRef::Root::kTemporary && is_number) return true;
  const bool is_argument = source.root == SourceRef::Root::kArgument && source.path.empty();
  if (is_argument && is_number && evidence.is_package_function) return true;
  return is_argument && (evidence.guard_class == GuardClass::kStr ||
                         (evidence.guard_class == GuardClass::kLength && source.name == "args"));
}

// "grad_mode", "autocast(cuda)_enabled", but not "num_threads" or "default_dtype".
bool IsTwoStateWord(std::string_view word) {
  return IsOneOf(word, {"grad_mode", "torch_function", "deterministic_algorithms", "allow_tf32",
                        "allow_fp16_reduce", "allow_bf16_reduce", "autocast_cache_enabled"}) ||
         (word.starts_with("autocast(") && word.ends_with("_enabled"));
}

bool IsTwoStateValue(std::string_view words) {
  for (words = Trim(words); !words.empty(); words = TrimLeft(words)) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (!IsTwoStateWord(word)) return false;
    words.remove_prefix(word.size());
  }
  return true;
}

/// Whether `value` is the path of a module with a number in it: "blocks.6.attn.to_k" or
/// "layer4.0.conv1", but not "sd1.5".
bool IsNumberedPath(std::string_view value) {
  while (!value.empty() && (value.front() == '\'' || value.front() == '"')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == '\'' || value.back() == '"')) value.remove_suffix(1);
  size_t num_names = 0;
  bool has_number = false;
  bool has_number_of_name = false;
  bool is_after_name = false;
  while (!value.empty()) {
    const std::string_view part = value.substr(0, value.find('.'));
    if (part.empty() || !std::ranges::all_of(part, IsWordChar)) return false;
    const bool is_number = std::ranges::all_of(part, IsDigit);
    num_names += IsDigit(part[0]) ? 0 : 1;
    has_number |= is_number;
    has_number_of_name |= is_number && is_after_name;
    is_after_name = std::ranges::none_of(part, IsDigit);
    value.remove_prefix(std::min(value.size(), part.size() + 1));
  }
  return has_number_of_name || (has_number && num_names >= 2);
}

/// Whether the guard compares an object that belongs to a module, or the module itself: another
/// object means another module with the same code.
bool IsOfModule(const SourceRef& source) {
  return source.HasMembers() || (source.root == SourceRef::Root::kSelf && source.path.empty());
}

/// The distinct sizes in the histories; empty if a value is not a number.
std::set<int64_t> SizesOf(const ValueHistories& histories) {
  std::set<int64_t> sizes;
  for (const std::string_view text : ValuesInOrder(histories)) {
    const std::optional<int64_t> size = IntValue(text);
    if (!size) return {};
    sizes.insert(*size);
  }
  return sizes;
}

bool Alternates(const std::vector<std::string_view>& values) {
  if (values.size() < 3) return false;
  return std::set<std::string_view>(values.begin(), values.end()).size() == 2;
}

}  // namespace

bool HasTwoStates(GuardClass guard_class, const std::vector<std::string_view>& values) {
  if (guard_class == GuardClass::kGlobalState)
    return !values.empty() && std::ranges::all_of(values, IsTwoStateValue);
  return guard_class == GuardClass::kBool || guard_class == GuardClass::kNone ||
         guard_class == GuardClass::kRequiresGrad;
}

bool IsSizeLadder(const std::set<int64_t>& sizes) {
  constexpr size_t kMinSizes = 3;
  constexpr int64_t kMinWidth = 16;
  constexpr int64_t kMaxImageChannels = 4;
  if (sizes.size() < kMinSizes) return false;
  // The first layer has the channels of an image as its input size.
  auto begin = sizes.begin();
  if (*begin > 0 && *begin <= kMaxImageChannels) ++begin;
  const int64_t first = *begin;
  if (first < kMinWidth) return false;
  return std::all_of(begin, sizes.end(), [first](int64_t size) {
    return size % first == 0 && std::has_single_bit(static_cast<uint64_t>(size / first));
  });
}

bool NamesLayer(const SourceRef& source) {
  const std::string_view name = source.LastName();
  const bool is_attribute = source.IsAttribute();
  if (HasText(name, "layer") || HasText(name, "block")) {
    return name.ends_with("_idx") || name.ends_with("_id") || name.ends_with("_index") ||
           name.ends_with("_number") || name.ends_with("_num") || name.ends_with("_i") ||
           (is_attribute && IsOneOf(name, {"layer", "block"}));
  }
  return is_attribute && source.IsOfModule() &&
         IsOneOf(name, {"idx", "index", "depth_idx", "stage_idx", "head_idx", "expert_idx",
                        "stage_id", "expert_id"});
}

ValuePattern JudgePattern(const PatternEvidence& evidence) {
  const GuardClass guard_class = evidence.guard_class;
  if (guard_class == GuardClass::kEmpty) return ValuePattern::kNone;

  const Movement movement = Follow(evidence.histories);
  const bool is_alone =
      evidence.num_strikes == 1 && !evidence.limit_hit && evidence.num_entries < 2;
  const bool can_number = guard_class == GuardClass::kInt || guard_class == GuardClass::kOther;
  if (can_number && NamesLayer(evidence.source)) return ValuePattern::kEnumeration;
  if (can_number && !is_alone && evidence.picks_callable) return ValuePattern::kEnumeration;
  if (guard_class == GuardClass::kInt) {
    if (!is_alone && movement.all_ints && movement.num_values >= 2 && movement.only_rises &&
        movement.steps_by_one) {
      return ValuePattern::kCounter;
    }
    if (!is_alone && evidence.is_incremented && movement.all_ints && movement.only_rises) {
      return ValuePattern::kCounter;
    }
    if (evidence.limit_hit && NumbersEntries(evidence.histories)) return ValuePattern::kCounter;
    if (!is_alone && CountsCompiles(evidence.histories)) return ValuePattern::kCounter;
  }
  if (guard_class == GuardClass::kSize && evidence.dim > 0 &&
      IsSizeLadder(SizesOf(evidence.histories))) {
    return ValuePattern::kEnumeration;
  }

  const bool can_grow = guard_class == GuardClass::kLength ||
                        (IsGeometry(guard_class) && guard_class != GuardClass::kNdim);
  const int64_t min_reach =
      guard_class == GuardClass::kLength ? kListGrowthCompiles : kGrowthCompiles;
  if (can_grow && Grows(evidence.histories, min_reach)) return ValuePattern::kGrowing;

  const std::vector<std::string_view> values = ValuesInOrder(evidence.histories);
  if (!is_alone && guard_class == GuardClass::kStr && !values.empty() &&
      std::ranges::all_of(values, IsNumberedPath)) {
    return ValuePattern::kEnumeration;
  }
  const bool is_mode = evidence.source.LastName() == "training";
  if (evidence.is_library_function && IsParameter(evidence) && !IsChosenByCall(evidence) &&
      !is_mode && !is_alone) {
    return ValuePattern::kParameterSet;
  }

  const bool is_object = guard_class == GuardClass::kType || guard_class == GuardClass::kIdentity ||
                         guard_class == GuardClass::kKeys;
  if (!is_alone && is_object && IsOfModule(evidence.source)) return ValuePattern::kEnumeration;
  if (HasTwoStates(guard_class, values) || Alternates(values)) return ValuePattern::kToggle;
  // One recompile may list several entries, each with its own value.
  const std::set<std::string_view> distinct(values.begin(), values.end());
  if (is_alone && distinct.size() <= 2) return ValuePattern::kOnce;
  const bool is_new = guard_class == GuardClass::kType || guard_class == GuardClass::kIdentity ||
                      guard_class == GuardClass::kBackend;
  const bool is_member = evidence.value_type == PythonType::kEnum;
  return is_new && !is_member ? ValuePattern::kNewObject : ValuePattern::kVarying;
}

}  // namespace shapewise
